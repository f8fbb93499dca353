import { seededRandom } from '../../../../src/engine/eval/random.js';

/** Which half of the sentences a simulation is written in: rules are made on one, and judged on the other. */
export type Half = 'held' | 'tuned';

/** A fact that people need, and what it comes to over time. */
export interface LivingFact {
  /** Every way in which it may be said, first and from `changedOn` on. */
  readonly sayings: readonly [ReadonlySet<string>, ReadonlySet<string>];
  /** Day of the note that changes it; undefined for a fact that stays. */
  readonly changedOn: number | undefined;
}

/** A note and what is asked, day by day. */
export interface LivingNotes {
  readonly facts: readonly LivingFact[];
  readonly days: readonly {
    readonly lines: readonly string[];
    readonly questions: readonly string[];
  }[];
}

type Say = (subject: string, value: string, old: string) => string;

interface Kind {
  readonly subjects: Readonly<Record<Half, readonly string[]>>;
  readonly values: readonly string[];
  readonly says: Readonly<Record<Half, readonly Say[]>>;
  readonly updates: Readonly<Record<Half, readonly Say[]>>;
  readonly questions: (subject: string) => readonly string[];
}

const KINDS: readonly Kind[] = [
  {
    subjects: { tuned: ['billing', 'search'], held: ['ledger', 'thumbnail'] },
    values: ['7443', '8081', '9200', '5601', '6310'],
    says: {
      tuned: [
        (s, v) => `The ${s} service listens on port ${v}.`,
        (s, v) => `Port ${v} is where ${s} listens.`,
        (s, v) => `${cap(s)} service: port ${v}`,
      ],
      held: [
        (s, v) => `${cap(s)} is reachable on port ${v}.`,
        (s, v) => `The ${s} app binds to port ${v}.`,
        (s, v) => `The port of the ${s} service is ${v}.`,
      ],
    },
    updates: {
      tuned: [
        (s, v) => `The ${s} service now listens on port ${v}.`,
        (s, v, o) => `${cap(s)} moved from port ${o} to ${v}.`,
      ],
      held: [
        (s, v, o) => `The port of ${s} changed from ${o} to ${v}.`,
        (s, v) => `Since Monday the ${s} service binds to port ${v}.`,
      ],
    },
    questions: (s) => [
      `which port does ${s} use`,
      `${s} port`,
      `${s} service port`,
      `port number of ${s}`,
    ],
  },
  {
    subjects: { tuned: ['payroll', 'onboarding'], held: ['telemetry', 'catalog'] },
    values: ['Mira', 'Tomas', 'Ines', 'Viktor', 'Lena'],
    says: {
      tuned: [
        (s, v) => `${v} owns the ${s} service.`,
        (s, v) => `The owner of ${s} is ${v}.`,
        (s, v) => `${v} is responsible for ${s}.`,
      ],
      held: [
        (s, v) => `${cap(s)} is owned by ${v}.`,
        (s, v) => `${v} is in charge of the ${s} service.`,
        (s, v) => `${cap(s)} owner: ${v}`,
      ],
    },
    updates: {
      tuned: [
        (s, v, o) => `${v} took over ${s} from ${o}.`,
        (s, v) => `${v} is now the owner of ${s}.`,
      ],
      held: [
        (s, v, o) => `Ownership of ${s} passed from ${o} to ${v}.`,
        (s, v, o) => `${v} replaces ${o} as owner of the ${s} service.`,
      ],
    },
    questions: (s) => [
      `who owns ${s}`,
      `${s} owner`,
      `owner of the ${s} service`,
      `who is the owner of ${s} now`,
    ],
  },
  {
    subjects: { tuned: ['invoice', 'audit log'], held: ['session', 'crash dump'] },
    values: ['30 days', '90 days', '14 days', '60 days', '45 days'],
    says: {
      tuned: [
        (s, v) => `Backups of the ${s} database are kept for ${v}.`,
        (s, v) => `${cap(s)} database backups are retained for ${v}.`,
        (s, v) => `Retention of ${s} database backups: ${v}`,
      ],
      held: [
        (s, v) => `We keep ${s} database backups for ${v}.`,
        (s, v) => `The retention of the ${s} database backups is ${v}.`,
        (s, v) => `${cap(s)} DB backups have a ${v.replace(' days', '-day')} retention.`,
      ],
    },
    updates: {
      tuned: [
        (s, v) => `Backups of the ${s} database are now kept for ${v}.`,
        (s, v, o) => `The retention of ${s} database backups went from ${o} to ${v}.`,
      ],
      held: [
        (s, v, o) => `We keep ${s} database backups for ${v} instead of ${o}.`,
        (s, v) => `${cap(s)} database backups: retention raised to ${v}.`,
      ],
    },
    questions: (s) => [
      `how long are ${s} database backups kept`,
      `${s} database backups`,
      `retention of ${s} database backups`,
      `${s} backups retention`,
    ],
  },
  {
    subjects: { tuned: ['standup', 'design review'], held: ['retrospective', 'planning call'] },
    values: ['9:30', '10:15', '14:00', '16:45', '11:00'],
    says: {
      tuned: [
        (s, v) => `The ${s} is at ${v}.`,
        (s, v) => `${cap(s)} starts at ${v}.`,
        (s, v) => `Our ${s} takes place at ${v}.`,
      ],
      held: [
        (s, v) => `The ${s} begins at ${v}.`,
        (s, v) => `${cap(s)}: ${v}`.concat(' in the small room.'),
        (s, v) => `We have the ${s} at ${v}.`,
      ],
    },
    updates: {
      tuned: [
        (s, v) => `The ${s} moved to ${v}.`,
        (s, v, o) => `The ${s} is at ${v} instead of ${o} from now on.`,
      ],
      held: [
        (s, v, o) => `The ${s} no longer begins at ${o}, it begins at ${v}.`,
        (s, v, o) => `The ${s} was pushed back from ${o} to ${v}.`,
      ],
    },
    questions: (s) => [
      `when is the ${s}`,
      `${s} time`,
      `what time does the ${s} begin`,
      `${s} start`,
    ],
  },
  {
    subjects: { tuned: ['frontend', 'importer'], held: ['newsletter', 'mobile app'] },
    values: ['Vite', 'Webpack', 'Rollup', 'Parcel', 'Turbopack'],
    says: {
      tuned: [
        (s, v) => `The ${s} uses ${v} as its bundler.`,
        (s, v) => `Bundler of the ${s}: ${v}`,
        (s, v) => `The bundler of the ${s} is ${v}.`,
      ],
      held: [
        (s, v) => `We use ${v} as the bundler of the ${s}.`,
        (s, v) => `The ${s} relies on ${v} as bundler.`,
        (s, v) => `The ${s} is bundled with ${v}.`,
      ],
    },
    updates: {
      tuned: [
        (s, v, o) => `The ${s} switched from ${o} to ${v} as its bundler.`,
        (s, v) => `The bundler of the ${s} is now ${v}.`,
      ],
      held: [
        (s, v, o) => `We replaced ${o} by ${v} as bundler of the ${s}.`,
        (s, v, o) => `The ${s} uses ${v} rather than ${o} as bundler since the rewrite.`,
      ],
    },
    questions: (s) => [
      `which bundler does the ${s} use`,
      `${s} bundler`,
      `bundler of the ${s}`,
      `what is the ${s} bundled with`,
    ],
  },
  {
    subjects: { tuned: ['tape robot', 'label printer'], held: ['projector', 'spare keys'] },
    values: ['Graz', 'Turku', 'Ghent', 'Porto', 'Brno'],
    says: {
      tuned: [
        (s, v) => `The ${s} is in the ${v} office.`,
        (s, v) => `${cap(s)} location: ${v} office`,
        (s, v) => `The office in ${v} has the ${s}.`,
      ],
      held: [
        (s, v) => `We keep the ${s} in the ${v} office.`,
        (s, v) => `The ${s} can be found in the office of ${v}.`,
        (s, v) => `The location of the ${s} is the office in ${v}.`,
      ],
    },
    updates: {
      tuned: [
        (s, v) => `The ${s} moved to the ${v} office.`,
        (s, v, o) => `The ${s} is no longer in ${o}, it is in the ${v} office.`,
      ],
      held: [
        (s, v, o) => `The ${s} went from the ${o} office to the ${v} office.`,
        (s, v) => `We now keep the ${s} in the ${v} office.`,
      ],
    },
    questions: (s) => [
      `where is the ${s}`,
      `${s} office`,
      `${s} location`,
      `which office has the ${s}`,
    ],
  },
  {
    subjects: { tuned: ['upload', 'avatar'], held: ['attachment', 'export'] },
    values: ['20 MB', '50 MB', '100 MB', '5 MB', '250 MB'],
    says: {
      tuned: [
        (s, v) => `The ${s} limit is ${v}.`,
        (s, v) => `${cap(s)}s are limited to ${v}.`,
        (s, v) => `Maximum size of an ${s}: ${v}`,
      ],
      held: [
        (s, v) => `${cap(s)}s are capped at ${v}.`,
        (s, v) => `An ${s} has at most ${v}.`,
        (s, v) => `The size limit of an ${s} is ${v}.`,
      ],
    },
    updates: {
      tuned: [
        (s, v) => `The ${s} limit was raised to ${v}.`,
        (s, v, o) => `The ${s} limit changed from ${o} to ${v}.`,
      ],
      held: [
        (s, v, o) => `${cap(s)} limit: ${o} → ${v}`,
        (s, v) => `${cap(s)}s are now capped at ${v}.`,
      ],
    },
    questions: (s) => [
      `how large may an ${s} be`,
      `${s} limit`,
      `${s} size limit`,
      `maximum ${s} size`,
    ],
  },
];

/** Says something of a fact, and not what is. */
const ASIDES: Readonly<Record<Half, readonly ((topic: string, n: number) => string)[]>> = {
  tuned: [
    (topic, n) => `We might change the ${topic} next month, ${n} people asked for it.`,
    (topic, n) => `Spent ${n} minutes looking for the ${topic} in the wiki with Sam.`,
    (topic, n) => `Sam joked about the ${topic} for the ${n}th time today.`,
  ],
  held: [
    (topic, n) => `Idea: revisit the ${topic} in sprint ${n}, nobody is sure yet.`,
    (topic, n) => `Long chat with Kim about the ${topic}, ${n} messages and no result.`,
    (topic, n) => `Kim was confused about the ${topic} again (ticket ${n}).`,
  ],
};

const DAYS = 60;

/** Makes such notes; the same seed and half give the same ones. */
export function livingNotes(seed: number, half: Half): LivingNotes {
  const writer = new Writer(seed, half);
  const facts = KINDS.flatMap((kind) =>
    kind.subjects[half].map((subject) => writer.write(kind, subject)),
  );
  return { facts, days: writer.days };
}

class Writer {
  readonly days = Array.from({ length: DAYS }, () => ({
    lines: [] as string[],
    questions: [] as string[],
  }));
  private readonly half: Half;
  private readonly random: () => number;

  constructor(seed: number, half: Half) {
    this.half = half;
    this.random = seededRandom(seed);
  }

  /** Spreads a fact over the days: noted, said again, changed, asked for, talked about. */
  write(kind: Kind, subject: string): LivingFact {
    const { half } = this;
    const says = kind.says[half];
    const updates = kind.updates[half];
    const value = this.pick(kind.values);
    const next = this.pick(kind.values.filter((other) => other !== value));
    const changedOn = this.random() < 0.6 ? this.between(24, 40) : undefined;
    const notedOn = this.between(0, 8);
    this.note(notedOn, this.pick(says)(subject, value, next));
    this.times(1, 3, () => {
      this.note(this.between(notedOn + 1, 20), this.pick(says)(subject, value, next));
    });
    if (changedOn !== undefined) {
      this.note(changedOn, this.pick(updates)(subject, next, value));
      this.times(0, 2, () => {
        this.note(this.between(changedOn + 1, 52), this.pick(says)(subject, next, value));
      });
    }
    const questions = kind.questions(subject);
    this.times(7, 10, () => {
      this.days[this.between(notedOn + 1, 58)]?.questions.push(this.pick(questions));
    });
    this.times(1, 3, () => {
      const topic = this.pick(questions).replace(/^\w+ (?=\w+ \w+)/u, '');
      this.note(this.between(0, DAYS - 1), this.pick(ASIDES[half])(topic, this.between(2, 40)));
    });
    return {
      sayings: [
        new Set(says.map((say) => say(subject, value, next))),
        new Set([...says, ...updates].map((say) => say(subject, next, value))),
      ],
      changedOn,
    };
  }

  private note(day: number, line: string): void {
    this.days[day]?.lines.push(`- ${line}`);
  }

  private times(low: number, high: number, act: () => void): void {
    for (let left = this.between(low, high); left > 0; left--) act();
  }

  private between(low: number, high: number): number {
    return low + Math.floor(this.random() * (high - low + 1));
  }

  private pick<T>(values: readonly T[]): T {
    const value = values[this.between(0, values.length - 1)];
    if (value === undefined) throw new RangeError('nothing to pick from');
    return value;
  }
}

function cap(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
