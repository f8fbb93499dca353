import { spawnSync } from 'node:child_process';

// Node.js 20 reads these certificates at every start, which can take longer than the rest of it. Few machines have any.
if (!process.argv.includes('--certificates')) {
  Reflect.deleteProperty(process.env, 'NODE_EXTRA_CA_CERTS');
}

/** Wall times of several runs of a command as a whole process. */
export interface Timing {
  readonly medianMs: number;
  readonly minMs: number;
}

/** A command to time. */
export interface Subject {
  readonly name: string;
  /** The executable; default: this Node.js. */
  readonly program?: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Input on stdin. */
  readonly input?: string;
  /** Called before each run, not timed. */
  readonly before?: () => void;
}

/**
 * Runs the subjects in turn, A B C A B C …, so that a slow phase of the machine affects all of them; the first
 * round warms the caches and does not count.
 */
export function timeInTurn(subjects: readonly Subject[], rounds: number): Timing[] {
  const times = subjects.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, subject] of subjects.entries()) {
      subject.before?.();
      const started = process.hrtime.bigint();
      run(subject);
      const took = Number(process.hrtime.bigint() - started) / 1e6;
      if (round > 0) times[index]?.push(took);
    }
  }
  return times.map((samples) => ({ medianMs: median(samples), minMs: Math.min(...samples) }));
}

/** Arguments that make Node.js print its peak memory to stderr on exit. */
export const PEAK_HOOK: readonly string[] = [
  '--import',
  `data:text/javascript,process.on('exit',()=>process.stderr.write('\\nRSS '+process.resourceUsage().maxRSS))`,
];

/** The printed peak memory in MiB. */
export function readPeak(stderr: string): number {
  return Number(/RSS (\d+)/.exec(stderr)?.[1] ?? Number.NaN) / 1024;
}

/** Peak resident memory of a command in MiB, as reported by the process itself. */
export function peakMemory(subject: Subject): number {
  return readPeak(run({ ...subject, args: [...PEAK_HOOK, ...subject.args] }).stderr);
}

/** Median. */
export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function run(subject: Subject): { readonly stderr: string } {
  const result = spawnSync(subject.program ?? process.execPath, subject.args, {
    encoding: 'utf8',
    env: { ...process.env, ...subject.env },
    ...(subject.input === undefined ? {} : { input: subject.input }),
    maxBuffer: 1 << 28,
  });
  if (result.status !== 0) {
    throw new Error(`${subject.name} failed (${result.status}): ${result.stderr}`);
  }
  return { stderr: result.stderr };
}
