import { SvcError } from '../errors/index.js';
import { describeAddress, type Server, type Sql } from '../postgres/index.js';

/** What the role of the URL may do, in the words of GRANT. */
export interface RoleRights {
  readonly role: string;
  /** Whether it may read which migrations have run. */
  readonly mayRead: boolean;
  /** The statement that an administrator runs so that hosts can work; undefined if nothing is missing. */
  readonly grantToUse: string | undefined;
}

interface TableRights {
  readonly name: string;
  readonly mayRead: boolean;
  readonly mayWrite: boolean;
}

/** Checks the rights on the tables that there are. @throws SvcError STORAGE_* */
async function roleRights(server: Sql): Promise<RoleRights> {
  const [{ role, mayUse } = { role: '', mayUse: false }] = await server.query<{
    readonly role: string;
    readonly mayUse: boolean;
  }>(`SELECT quote_ident(current_user) AS role,
        coalesce(bool_and(has_schema_privilege(oid, 'USAGE')), true) AS "mayUse"
      FROM pg_namespace WHERE nspname = 'svc'`);
  if (!mayUse) return { role, mayRead: false, grantToUse: grantsTo(role) };
  const tables = await server.query<TableRights>(
    `SELECT relname AS name, has_table_privilege(pg_class.oid, 'SELECT') AS "mayRead",
       (SELECT bool_and(has_table_privilege(pg_class.oid, one))
        FROM unnest(ARRAY['INSERT', 'UPDATE', 'DELETE']) AS one) AS "mayWrite"
     FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = 'svc' AND relkind = 'r'`,
  );
  // Hosts only read which migrations have run.
  const isWhole = tables.every(
    ({ name, mayRead, mayWrite }) => mayRead && (mayWrite || name === 'migrations'),
  );
  const canRead = tables.every(({ name, mayRead }) => mayRead || name !== 'migrations');
  return { role, mayRead: canRead, grantToUse: isWhole ? undefined : grantsTo(role) };
}

/**
 * The role's rights, if it may at least read which tables there are.
 *
 * @throws SvcError STORAGE_*; STORAGE_REFUSED names the statements that give the role what it lacks
 */
export async function requireReadable(server: Server): Promise<RoleRights> {
  const rights = await roleRights(server);
  if (rights.mayRead || rights.grantToUse === undefined) return rights;
  const where = describeAddress(server.address);
  throw new SvcError(
    'STORAGE_REFUSED',
    `role ${rights.role} cannot use the tables of svc on PostgreSQL at ${where}`,
    { hint: `ask an administrator to run: ${rights.grantToUse}` },
  );
}

/** The statements of docs/teams.md for a role that uses the tables but may not change their definition. */
function grantsTo(role: string): string {
  return [
    `GRANT USAGE ON SCHEMA svc TO ${role}`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA svc TO ${role}`,
    `GRANT USAGE ON ALL SEQUENCES IN SCHEMA svc TO ${role};`,
  ].join('; ');
}
