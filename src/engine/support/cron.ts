/** The values at which each field of a cron expression matches. */
export interface CronFields {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly daysOfMonth: ReadonlySet<number>;
  /** 1 is January. */
  readonly months: ReadonlySet<number>;
  /** 0 is Sunday. */
  readonly daysOfWeek: ReadonlySet<number>;
  /** Whether the field starts with a star: then a day must match both day fields; otherwise one of them is enough. */
  readonly anyDayOfMonth: boolean;
  readonly anyDayOfWeek: boolean;
}

export type CronResult =
  | { readonly ok: true; readonly fields: CronFields }
  | { readonly ok: false; readonly reason: string };

interface FieldRule {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Lower-case names of the values from `from` on. */
  readonly names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const MINUTE: FieldRule = { name: 'minute', from: 0, to: 59 };
const HOUR: FieldRule = { name: 'hour', from: 0, to: 23 };
const DAY_OF_MONTH: FieldRule = { name: 'day of month', from: 1, to: 31 };
const MONTH: FieldRule = { name: 'month', from: 1, to: 12, names: MONTHS };
const DAY_OF_WEEK: FieldRule = { name: 'day of week', from: 0, to: 7, names: DAYS };

/** Maximum number of days of each month. */
const LONGEST_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Parses the five fields of crontab(5): lists, ranges, steps, English names of months and days, 7
 * for Sunday.
 */
export function parseCron(expression: string): CronResult {
  const texts = expression.trim().split(/\s+/u);
  if (texts.length !== 5) return { ok: false, reason: 'it must have five fields' };
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = texts;
  try {
    return {
      ok: true,
      fields: {
        minutes: parseField(minute, MINUTE),
        hours: parseField(hour, HOUR),
        daysOfMonth: parseField(dayOfMonth, DAY_OF_MONTH),
        months: parseField(month, MONTH),
        daysOfWeek: new Set([...parseField(dayOfWeek, DAY_OF_WEEK)].map((day) => day % 7)),
        anyDayOfMonth: dayOfMonth.startsWith('*'),
        anyDayOfWeek: dayOfWeek.startsWith('*'),
      },
    };
  } catch (error) {
    if (error instanceof RangeError) return { ok: false, reason: error.message };
    throw error;
  }
}

/** Whether any day matches. Only a day that none of the months has prevents it, and only if a day of week is no alternative. */
export function cronEverFires(fields: CronFields): boolean {
  if (fields.anyDayOfMonth || !fields.anyDayOfWeek) return true;
  return [...fields.months].some((month) =>
    [...fields.daysOfMonth].some((day) => day <= (LONGEST_MONTHS[month - 1] ?? 0)),
  );
}

function parseField(text: string, rule: FieldRule): ReadonlySet<number> {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const [span = '', stepText, ...more] = part.split('/');
    const step = stepText === undefined ? 1 : Number(stepText);
    if (more.length > 0 || !Number.isInteger(step) || step < 1) {
      const fault = `the step of ${rule.name} must be 1 or more`;
      throw new RangeError(`${fault} (got ${JSON.stringify(part)})`);
    }
    const [from, to] = parseSpan(span, rule, stepText !== undefined);
    for (let value = from; value <= to; value += step) values.add(value);
  }
  return values;
}

function parseSpan(span: string, rule: FieldRule, stepped: boolean): readonly [number, number] {
  if (span === '*') return [rule.from, rule.to];
  const [first = '', last, ...more] = span.split('-');
  const from = parseValue(first, rule);
  // "5/10" starts at 5.
  const to = last === undefined ? (stepped ? rule.to : from) : parseValue(last, rule);
  if (more.length > 0) throw unclear(span, rule);
  if (to >= from) return [from, to];
  const split = `${first}-${rule.to},${rule.from}-${last}`;
  throw new RangeError(
    `${rule.name} ${JSON.stringify(span)} goes backwards; write ${split} instead`,
  );
}

function parseValue(text: string, rule: FieldRule): number {
  const named = rule.names?.indexOf(text.toLowerCase()) ?? -1;
  const value =
    named === -1 ? (/^\d{1,2}$/u.test(text) ? Number(text) : Number.NaN) : rule.from + named;
  if (!(value >= rule.from && value <= rule.to)) throw unclear(text, rule);
  return value;
}

function unclear(text: string, { name, from, to }: FieldRule): RangeError {
  return new RangeError(`${name} must be between ${from} and ${to} (got ${JSON.stringify(text)})`);
}
