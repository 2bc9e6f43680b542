/**
 * The identity of the database: the cluster, its timeline, the database in it. A restore from a backup, a promoted standby
 * or a dump that was read back change it; a crash and a restart do not.
 */
export const identitySql = `(
  select s.system_identifier::text || '/' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) || '/' ||
         (select d.oid from pg_database d where d.datname = current_database())
  from pg_control_system() as s)`;
