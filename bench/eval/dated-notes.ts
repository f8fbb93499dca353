import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { seededRandom } from '../../src/engine/eval/random.js';

const DAYS = 400;
const LINES = 4;
const SEED = 11;

const PEOPLE = ['Anna', 'Ben', 'Carla', 'Deniz', 'Elif', 'Farid'];
const TOPICS = (
  'invoice budget parser release garden dentist contract server tickets roof bicycle recipe ' +
  'insurance printer workshop heating passport backup concert fence'
).split(' ');
/** What people say of topics, with words that questions about a day contain. */
const PREDICATES =
  'is late|needs work|happened too fast|was decided|costs more than we thought|can wait|did not work'.split(
    '|',
  );
const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );
const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
/** Undated, with the words of dates: it competes with the notes. */
const UNDATED = `# Memory

${MONTHS.map((month, at) => `- Birthday of a cousin on ${month} ${at + 3}.`).join('\n')}

${WEEKDAYS.map((day) => `- Every ${day}: yesterday's dishes, what to do this week.`).join('\n')}
`;

interface Line {
  readonly question: string;
  readonly expect: readonly string[];
  readonly tags: readonly string[];
}

/** A line of a note: who said what, days before today. */
interface Remark {
  readonly back: number;
  readonly line: number;
  readonly person: string;
  readonly topic: string;
}

/**
 * Creates a diary that ends today, and questions that name its days: alone, as periods, with topical words, and
 * with words of a note of another day, which must not be lost.
 *
 * @param dir where to write the workspace
 * @returns the questions, as lines for `svc memory eval`
 */
export function datedNotes(dir: string, today: Date): string {
  const day = (back: number): Date =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() - back, 12);
  const random = seededRandom(SEED);
  const pick = (values: readonly string[]): string =>
    values[Math.floor(random() * values.length)] ?? '';
  const remarks: Remark[] = [];
  for (let back = 0; back < DAYS; back++) {
    const lines = Array.from({ length: LINES }, (_, at) => {
      const [person, topic] = [pick(PEOPLE), pick(TOPICS)];
      remarks.push({ back, line: 3 + at, person, topic });
      return `- ${person} says that the ${topic} ${pick(PREDICATES)}.`;
    });
    write(join(dir, pathOf(day(back))), `# ${iso(day(back))}\n\n${lines.join('\n')}\n`);
  }
  write(join(dir, 'MEMORY.md'), UNDATED);
  const citationOf = ({ back, line }: Remark): string => `${pathOf(day(back))}#L${line}`;
  const within = (from: number, to: number): string[] =>
    Array.from({ length: from - to + 1 }, (_, at) => pathOf(day(from - at)));
  const lines: Line[] = [];
  const ask = (tag: string, question: string, expect: readonly string[]): void => {
    lines.push({ question, expect, tags: [tag] });
  };
  for (const back of [1, 5, 12, 33, 47, 88, 150, 219, 301]) {
    const date = day(back);
    const [month, number, year] = [
      MONTHS[date.getMonth()] ?? '',
      date.getDate(),
      date.getFullYear(),
    ];
    const note = [pathOf(date)];
    ask('day', `what did I do on ${month} ${number}`, note);
    ask('day', `${month.slice(0, 3)} ${number}`, note);
    ask('day', `what happened on the ${number}th of ${month}`, note);
    ask('day in numbers', iso(date), note);
    ask('day in numbers', `what did I work on on ${date.getMonth() + 1}/${number}`, note);
    ask('day in numbers', `${number}.${date.getMonth() + 1}.${year}`, note);
  }
  for (const back of [1, 2, 3, 4, 6]) {
    const words = ['', 'yesterday', 'the day before yesterday', 'three days ago', '4 days ago'][
      back
    ];
    const weekday = `last ${WEEKDAYS[day(back).getDay()]}`;
    for (const when of words === undefined ? [weekday] : [words, weekday]) {
      ask('relative day', `what did I work on ${when}`, [pathOf(day(back))]);
      ask('relative day', `what happened ${when}?`, [pathOf(day(back))]);
      ask('relative day', `what did we decide ${when}?`, [pathOf(day(back))]);
    }
  }
  const monday = (today.getDay() + 6) % 7;
  const lastMonth = new Date(today.getFullYear(), today.getMonth(), 0);
  const monthBack = today.getDate();
  const periods: [string, number, number][] = [
    ['last week', monday + 7, monday + 1],
    ['this month', monthBack - 1, 0],
    ['last month', monthBack + lastMonth.getDate() - 1, monthBack],
    [`in ${MONTHS[lastMonth.getMonth()]}`, monthBack + lastMonth.getDate() - 1, monthBack],
    ['last weekend', monday + 2, monday + 1],
  ];
  for (const [when, from, to] of periods) {
    ask('period', `what happened ${when}`, within(from, to));
    ask('period', `what did I do ${when}`, within(from, to));
    const inside = remarks.filter(({ back }) => back <= from && back >= to).slice(0, 6);
    for (const remark of inside) {
      const { person, topic } = remark;
      const same = remarks.filter(
        (other) =>
          other.person === person &&
          other.topic === topic &&
          other.back <= from &&
          other.back >= to,
      );
      ask(
        'period and topic',
        `what did ${person} say about the ${topic} ${when}`,
        same.map(citationOf),
      );
    }
  }
  for (const remark of remarks.filter(({ back }) => back > 60 && back % 40 === 0)) {
    const { person, topic } = remark;
    const same = remarks.filter((other) => other.person === person && other.topic === topic);
    ask('topic of another day', `${person} ${topic} last week`, same.map(citationOf));
  }
  const distinct = [...new Map(lines.map((line) => [line.question, line])).values()];
  return distinct.map((line) => `${JSON.stringify({ ...line, workspace: dir })}\n`).join('');
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function pathOf(date: Date): string {
  return `memory/${iso(date)}.md`;
}

/** The local day. */
function iso(date: Date): string {
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}
