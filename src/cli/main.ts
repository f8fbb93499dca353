import { join } from 'node:path';
import { createLeanConfig, expandQuestion, findCommand, type LeanConfig } from './fast-start.js';
import { closeLostTerminals, terminalStreams } from './print.js';
import { terminalSupport } from './terminal.js';
import { answerWithoutCommand } from './without-command.js';

/** How the program was started: from its build or from source. */
export interface Launch {
  /** Absolute path of the package. */
  readonly root: string;
  /** Where the command modules are, relative to the root. */
  readonly commandsDir: string;
  readonly extension: '.js' | '.ts';
  /** Loads a module by absolute path: `require` in the build, `import` from source. */
  readonly load: (path: string) => CommandModule | Promise<CommandModule>;
}

interface CommandModule {
  readonly default: new (argv: string[], config: LeanConfig) => { start(): Promise<void> };
}

/**
 * Runs the program. A known command is loaded and run directly; everything else is answered without one. Without
 * arguments it opens the home screen on a terminal and prints help elsewhere.
 */
export async function main(words: readonly string[], launch: Launch): Promise<void> {
  const { root, extension } = launch;
  process.once('exit', closeLostTerminals);
  // An empty variable is as good as none, but ink would draw no frames.
  for (const name of ['CI', 'CONTINUOUS_INTEGRATION'])
    if (process.env[name] === '') delete process.env[name];
  if (namesProxy(process.env)) {
    const { routeThroughProxies } = await import('./outgoing-proxies.js');
    routeThroughProxies();
  }
  const modules = { dir: join(root, launch.commandsDir), extension, root };
  const argv = words.length === 0 && takesScreens() ? ['ui'] : expandQuestion(words, modules);
  const found = findCommand(argv, modules);
  if (found === undefined) {
    await answerWithoutCommand(argv, root, extension === '.ts');
    return;
  }
  const { default: CommandClass } = await launch.load(found.modulePath);
  Object.assign(CommandClass, { id: found.id });
  await new CommandClass(found.argv, createLeanConfig(process.env, root)).start();
}

/** Proxy support is only loaded when a variable names a proxy: it would slow every other start. */
function namesProxy(env: NodeJS.ProcessEnv): boolean {
  return ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'].some((name) => {
    return (env[name] ?? '') !== '' || (env[name.toLowerCase()] ?? '') !== '';
  });
}

function takesScreens(): boolean {
  return terminalSupport(process.env, terminalStreams, { json: false, plain: false }).screen;
}
