import type { InstallEvent } from '../engine/install/install-packages.js';
import type { SecretMask } from '../engine/masking/index.js';
import { installNote, type WorkNote } from '../ui/provider/install-words.js';
import { SHOW_CURSOR } from '../ui/style.js';

/** One step of long work. */
export interface Step {
  /** Shown while it runs: `installing the runtime`. */
  readonly title: string;
  /** @returns the result in one line */
  readonly run: (onNote: (note: WorkNote) => void) => Promise<StepTrouble | string>;
}

/** What a step shows of an installation that begins now. */
export function installNotes(onNote: (note: WorkNote) => void): (event: InstallEvent) => void {
  const startedMs = performance.now();
  return (event) => onNote(installNote(event, performance.now() - startedMs));
}

/** The result of a step that failed without stopping the steps after it. */
export interface StepTrouble {
  readonly trouble: string;
}

/** How steps are shown. */
export interface StepsOptions {
  /** Shows a list that redraws itself instead of plain lines. */
  readonly live: boolean;
  /** Shows nothing. */
  readonly quiet: boolean;
  readonly mask: SecretMask;
  /** Writes a line to stderr. */
  readonly note: (line: string) => void;
  /** Called with what shows on the terminal that work is stopping, while a list has it. */
  readonly onLive: (showStopping: (text: string) => void) => void;
}

/** Runs steps in order until one throws. @throws what the step throws */
export async function runSteps(steps: readonly Step[], options: StepsOptions): Promise<void> {
  if (options.live && !options.quiet) return runLive(steps, options);
  for (const { title, run } of steps) {
    if (options.quiet) {
      await run(() => undefined);
      continue;
    }
    options.note(title);
    let lastKey = '';
    const result = await run(({ key, text }) => {
      if (key !== lastKey) options.note(`  ${text}`);
      lastKey = key;
    });
    options.note(`  ${resultText(result)}`);
  }
}

async function runLive(steps: readonly Step[], { mask, onLive }: StepsOptions): Promise<void> {
  const { Listr, ListrLogger, ProcessOutput } = await import('listr2');
  // The list goes to stderr: stdout is for the result.
  const processOutput = new ProcessOutput(process.stderr, process.stdout);
  const hijack = processOutput.hijack.bind(processOutput);
  processOutput.hijack = () => {
    hijack();
    // The list hides the cursor, which would stay hidden if a signal ends or stops the process.
    processOutput.toStdout(SHOW_CURSOR, false);
  };
  let running: { output: string } | undefined;
  onLive((text) => {
    if (running !== undefined) running.output = text;
  });
  const list = new Listr(
    steps.map(({ title, run }) => {
      let isTrouble = false;
      return {
        title,
        exitOnError: () => !isTrouble,
        task: async (_context: unknown, task: { title: string; output: string }) => {
          running = task;
          const result = await run(({ text }) => {
            task.output = mask.text(text);
          });
          task.title = mask.text(resultText(result));
          isTrouble = typeof result !== 'string';
          // The list marks a step as failed only if it throws.
          if (isTrouble) throw new Error(task.title);
        },
      };
    }),
    {
      // Ctrl-C is handled by svc, which aborts the work.
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

function resultText(result: StepTrouble | string): string {
  return typeof result === 'string' ? result : result.trouble;
}
