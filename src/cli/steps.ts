import type { SecretMask } from '../engine/secrets/mask/secret-mask.js';
import type { WorkNote } from '../ui/provider/install-words.js';

/** A part of long work that a person waits for. */
export interface Step {
  /** While it goes on: `installing the runtime`. */
  readonly title: string;
  /** Does it. @returns what came of it, in a line */
  readonly run: (say: (note: WorkNote) => void) => Promise<StepTrouble | string>;
}

/** What came of a step that failed without ending those after it. */
export interface StepTrouble {
  readonly trouble: string;
}

/** How steps are shown. */
export interface StepsOptions {
  /** A list that redraws itself; plain lines otherwise. */
  readonly live: boolean;
  /** Nothing at all is shown. */
  readonly quiet: boolean;
  readonly mask: SecretMask;
  /** Takes whole lines for stderr. */
  readonly note: (line: string) => void;
}

/** Does steps one after the other; the first that fails ends them. @throws what the step throws */
export async function runSteps(steps: readonly Step[], options: StepsOptions): Promise<void> {
  if (options.live && !options.quiet) return runLive(steps, options.mask);
  for (const { title, run } of steps) {
    if (options.quiet) {
      await run(() => undefined);
      continue;
    }
    options.note(title);
    let told = '';
    const done = await run(({ key, text }) => {
      if (key !== told) options.note(`  ${text}`);
      told = key;
    });
    options.note(`  ${wordsOf(done)}`);
  }
}

async function runLive(steps: readonly Step[], mask: SecretMask): Promise<void> {
  const { Listr, ListrLogger, ProcessOutput } = await import('listr2');
  // Its standard output is our stderr: the answer alone goes to stdout.
  const processOutput = new ProcessOutput(process.stderr, process.stdout);
  const list = new Listr(
    steps.map(({ title, run }) => {
      let isTrouble = false;
      return {
        title,
        exitOnError: () => !isTrouble,
        task: async (_context: unknown, task: { title: string; output: string }) => {
          const done = await run(({ text }) => {
            task.output = mask.text(text);
          });
          task.title = mask.text(wordsOf(done));
          isTrouble = typeof done !== 'string';
          // The list marks a step as failed by what it throws.
          if (isTrouble) throw new Error(task.title);
        },
      };
    }),
    {
      // Ctrl-C is ours: the work ends by its signal.
      registerSignalListeners: false,
      rendererOptions: {
        logger: new ListrLogger({ useIcons: true, toStderr: [], processOutput }),
        showErrorMessage: false,
        collapseErrors: false,
      },
    },
  );
  await list.run();
}

function wordsOf(done: StepTrouble | string): string {
  return typeof done === 'string' ? done : done.trouble;
}
