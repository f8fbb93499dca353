import {
  type DreamWorkspace,
  dreamWorkspace,
} from '../../../../src/engine/dreaming/dream-workspace.js';
import { seededRandom } from '../../../../src/engine/eval/random.js';
import { type TempFolder, tempFolder } from '../../../support/temp-folder.js';

/** A statement that lasts, and the questions that people ask about it. */
export interface PlantedFact {
  readonly text: string;
  readonly questions: readonly string[];
  /** Day on which it was noted, 0 to 89. */
  readonly notedOn: number;
  /** Days on which one of its questions is asked; empty for a fact that nobody needs. */
  readonly askedOn: readonly number[];
}

/** Ninety days of notes and questions. */
export interface SimulatedQuarter {
  readonly home: TempFolder;
  readonly workspace: DreamWorkspace;
  readonly facts: readonly PlantedFact[];
  readonly junk: ReadonlySet<string>;
  /** Statements of the day that nobody asks for again. */
  readonly chatter: ReadonlySet<string>;
  /** Writes the note of a day. */
  writeNote(day: number): void;
  /** What is asked on a day. */
  questionsOf(day: number): readonly string[];
}

export const DAYS = 90;
export const MS_PER_DAY = 86_400_000;
/** Noon of the first day. */
export const START_MS = Date.UTC(2026, 6, 1, 12);

const SYSTEMS = [
  'billing',
  'search',
  'payroll',
  'mail',
  'storage',
  'backup',
  'login',
  'metrics',
  'invoice',
  'shipping',
  'catalog',
  'calendar',
  'archive',
  'gateway',
  'scheduler',
  'warehouse',
  'telemetry',
  'translation',
  'reporting',
  'messaging',
] as const;
const OWNERS = ['Ana', 'Jo', 'Mira', 'Tomas', 'Ines', 'Viktor', 'Lena', 'Omar'] as const;
const TOWNS = ['Lisbon', 'Graz', 'Turku', 'Ghent', 'Porto', 'Brno', 'Malmö', 'Leeds'] as const;

type Shape = (system: string, n: number) => Pick<PlantedFact, 'questions' | 'text'>;

const SHAPES: readonly Shape[] = [
  (system, n) => ({
    text: `The ${system} service listens on port ${7000 + n} and needs a restart after each certificate change.`,
    questions: [
      `which port does ${system} use`,
      `${system} service port`,
      `restart ${system} after certificate change`,
      `port of the ${system} service`,
    ],
  }),
  (system, n) => ({
    text: `${pick(OWNERS, n)} owns the ${system} service and signs off its releases from the office in ${pick(TOWNS, n)}.`,
    questions: [
      `who owns ${system}`,
      `${system} owner`,
      `who signs off ${system} releases`,
      `office of the ${system} owner`,
    ],
  }),
  (system, n) => ({
    text: `Backups of the ${system} database are kept for ${20 + n} days on the tape robot in ${pick(TOWNS, n + 3)}.`,
    questions: [
      `how long are ${system} backups kept`,
      `${system} database backups`,
      `where is the ${system} tape`,
      `retention of ${system} backups`,
    ],
  }),
];

const JUNK: readonly ((n: number) => string)[] = [
  (n) => `[ ] call the vendor about ticket ${4000 + n}`,
  (n) => `TODO look at the ${pick(SYSTEMS, n)} dashboard again`,
  (n) => `2026-07-01T10:0${n % 10}:11Z INFO ${pick(SYSTEMS, n)} restarted by deploy ${n}`,
  (n) => `ERROR [${pick(SYSTEMS, n)}] connection refused after ${n} tries`,
  (n) => `https://tracker.example.org/browse/OPS-${n}`,
  (n) => `Should we move ${pick(SYSTEMS, n)} to the new cluster?`,
  (n) => `const ${pick(SYSTEMS, n)} = await connect({ port: ${n} });`,
];

/** Makes a quarter; the same seed gives the same one. */
export function simulatedQuarter(seed: number): SimulatedQuarter {
  const random = seededRandom(seed);
  const between = (low: number, high: number): number =>
    low + Math.floor(random() * (high - low + 1));
  const facts = SYSTEMS.flatMap((system, s) =>
    SHAPES.map((shape, f): PlantedFact => {
      const notedOn = between(0, DAYS - 16);
      const isNeeded = (s + f) % 3 !== 0;
      const days = Array.from({ length: between(6, 9) }, () => notedOn + between(1, 14));
      return { ...shape(system, s * 3 + f), notedOn, askedOn: isNeeded ? days : [] };
    }),
  );
  const junk = new Set<string>();
  const chatter = new Set<string>();
  const home = tempFolder();
  const nameOf = (day: number): string =>
    new Date(START_MS + day * MS_PER_DAY).toISOString().slice(0, 10);
  const writeNote = (day: number): void => {
    const lines = [`# ${nameOf(day)}`, ''];
    for (const { text, notedOn } of facts) if (notedOn === day) lines.push(`- ${text}`);
    for (let i = 0; i < 4; i++) {
      const junkLine = pick(JUNK, between(0, 999))(between(0, 999));
      junk.add(junkLine);
      lines.push(`- ${junkLine}`);
      const talk = `${pick(OWNERS, between(0, 99))} spent the ${pick(['morning', 'evening', 'day'], between(0, 9))} on ${pick(SYSTEMS, between(0, 99))} with little to show for it on day ${day}.`;
      chatter.add(talk);
      lines.push(`- ${talk}`);
    }
    home.write(`notes/memory/${nameOf(day)}.md`, `${lines.join('\n')}\n`);
  };
  const questionsOf = (day: number): readonly string[] => {
    const asked = facts.flatMap(({ askedOn, questions }) =>
      askedOn.filter((on) => on === day).map((_, at) => pick(questions, day + at)),
    );
    const idle = [
      `what happened with ${pick(SYSTEMS, day)}`,
      `${pick(OWNERS, day)} this week`,
      'open tasks',
    ];
    return [...asked, ...idle];
  };
  const workspace = dreamWorkspace(home.at('notes'), { stateDir: home.at('state') });
  return { home, workspace, facts, junk, chatter, writeNote, questionsOf };
}

function pick<T>(values: readonly T[], at: number): T {
  const value = values[at % values.length];
  if (value === undefined) throw new RangeError('nothing to pick from');
  return value;
}
