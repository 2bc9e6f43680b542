alter table companies alter column name type varchar(100);
