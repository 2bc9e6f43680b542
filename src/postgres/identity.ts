/**
 * Returns the identity of the database: cluster, timeline and database. Restoring a backup or a dump and promoting a
 * standby change it; a crash and a restart do not.
 */
export const identitySql = `(
  select s.system_identifier::text || '/' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) || '/' ||
         (select d.oid from pg_database d where d.datname = current_database())
  from pg_control_system() as s)`;
