import { join } from 'node:path';
import { findCommand } from './dispatch.js';
import { createLeanConfig, type LeanConfig } from './lean-config.js';
import { terminalSupport } from './terminal.js';

/** How the program was started: from its build, or from source. */
export interface Launch {
  /** Absolute path of the package. */
  readonly root: string;
  /** Where the command modules lie, relative to the root. */
  readonly commandsDir: string;
  readonly extension: '.js' | '.ts';
  /** Loads a module by its absolute path: require in the build, import from source. */
  readonly load: (path: string) => CommandModule | Promise<CommandModule>;
}

interface CommandModule {
  readonly default: new (argv: string[], config: LeanConfig) => { start(): Promise<void> };
}

/**
 * The program. A known command is loaded and run straight away; everything else (help, version,
 * completion, mistyped words) goes through oclif's full start. Without any words it is home on a
 * terminal that takes screens, and help elsewhere.
 */
export async function main(words: readonly string[], launch: Launch): Promise<void> {
  const { root, extension } = launch;
  const argv = words.length === 0 && takesScreens() ? ['ui'] : words;
  const found = findCommand(argv, { dir: join(root, launch.commandsDir), extension });
  if (found === undefined) {
    const { runWithOclif } = await import('./run-with-oclif.js');
    await runWithOclif(argv, root, extension === '.ts');
    return;
  }
  const { default: CommandClass } = await launch.load(found.modulePath);
  Object.assign(CommandClass, { id: found.id });
  await new CommandClass(found.argv, createLeanConfig('svc', process.env, root)).start();
}

function takesScreens(): boolean {
  return terminalSupport(process.env, process, { json: false, plain: false }).screen;
}
