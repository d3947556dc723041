import type { DatabaseStore } from '@sextant/contracts';

/**
 * What is kept beside the tables of stores. The version is raised in the transaction that changes anything. The state is
 * `new`, `migrating`, `migrated`, or `used` by a server.
 */
export const ownTables = `
  create table if not exists database_version (value bigint not null);
  insert into database_version select 0 where not exists (select from database_version);
  create table if not exists database_secret (name text collate "C" primary key, encrypted bytea not null);
  create table if not exists database_copied (name text collate "C" primary key, checksum text not null);
  create table if not exists database_state (state text not null);
  insert into database_state select 'new' where not exists (select from database_state);
  create table if not exists database_host (
    id text collate "C" primary key, name text not null, version text not null, configuration text not null,
    started_at text not null, seen_at timestamptz not null
  );
  create or replace function raise_database_version() returns trigger language plpgsql as
    $$ begin update database_version set value = value + 1; return null; end $$;
`;

/**
 * Statements that make changes of a store raise the version, or not where it is a log. Before a statement: all writers then
 * take the lock of the version first, and none waits for another in a circle.
 */
export function versionTriggers({ name, isLog = false }: DatabaseStore): string[] {
  const wanted = isLog
    ? `if exists (select from pg_trigger where tgrelid = tab.oid and tgname = 'raise_version') then
         execute format('drop trigger raise_version on %I', tab.relname);
       end if;`
    : `if not exists (select from pg_trigger where tgrelid = tab.oid and tgname = 'raise_version') then
         execute format('create trigger raise_version before insert or update or delete or truncate on %I
           for each statement execute function raise_database_version()', tab.relname);
       end if;`;
  return [
    `do $$ declare tab record; begin
       for tab in
         select oid, relname from pg_class
         where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
           and (relname = '${name}' or starts_with(relname, '${name}_'))
           and relname not in ('${name}_migrations', '${name}_migrations_lock')
           -- Tables of another store whose name begins like this one.
           and not exists (
             select from pg_class other
             where other.relnamespace = pg_class.relnamespace and other.relname like '${name}\\_%\\_migrations'
               and starts_with(pg_class.relname, left(other.relname, -length('_migrations')))
           )
       loop ${wanted} end loop;
     end $$`,
  ];
}
