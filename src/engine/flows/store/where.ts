/** A condition of a filter: its SQL, and the value it binds; a list binds all of its values. */
export type Condition = readonly [sql: (marks: string) => string, value: unknown];

/** A WHERE clause of the conditions whose value is there, and what it binds. */
export interface Where {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** `column = ?`, or `column IN (?, …)` for a list. */
export function equals(column: string, value: unknown): Condition {
  return [(marks) => `${column} ${Array.isArray(value) ? 'IN' : '='} ${marks}`, value];
}

/** `column >= ?` */
export function atLeast(column: string, value: unknown): Condition {
  return [(marks) => `${column} >= ${marks}`, value];
}

/** Joins conditions; those without a value limit nothing. */
export function whereOf(conditions: readonly Condition[]): Where {
  const parts: string[] = [];
  const values: unknown[] = [];
  for (const [sql, value] of conditions) {
    if (value === undefined) continue;
    if (Array.isArray(value)) {
      parts.push(sql(`(${value.map(() => '?').join(', ')})`));
      values.push(...value);
    } else {
      parts.push(sql('?'));
      values.push(value);
    }
  }
  return { sql: parts.length === 0 ? '' : `WHERE ${parts.join(' AND ')}`, values };
}
