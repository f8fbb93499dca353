import type { Command } from '@oclif/core/command';
import { Config, Plugin } from '@oclif/core/config';
import { CommandHelp, Help } from '@oclif/core/help';
import { run } from '@oclif/core/run';
import { settings } from '@oclif/core/settings';
import { wantsHelp } from './fast-start.js';
import type { ManifestCommand, ProgramPackage } from './manifest.js';
import { print, terminalStreams } from './print.js';

/** svc as its files describe it. */
interface Program {
  /** Absolute path of the package. */
  readonly root: string;
  readonly about: ProgramPackage;
  readonly commands: Readonly<Record<string, ManifestCommand>>;
}

/** Lets oclif answer: help of a command, commands of plugins, and ids with colons. */
export async function runWithOclif(
  argv: readonly string[],
  program: Program,
  development: boolean,
): Promise<void> {
  if (development) settings.debug = true;
  // Otherwise oclif opens the stream to find out the same.
  if (!terminalStreams.stdout.isTTY) settings.columns = 80;
  const { root, about } = program;
  if (!wantsHelp(argv) || argv[0] === 'help') {
    await run([...argv], await Config.load({ root }));
    return;
  }
  const plugins = new Map([[about.name, pluginOf(argv[0] ?? '', program)]]);
  const config = await Config.load({ root, plugins });
  await new QuickHelp(config, about.oclif.helpOptions).showHelp([...argv]);
}

/**
 * svc as oclif's root plugin, as if it only had the commands whose first word was typed: help needs no others. Loading
 * all of them takes oclif a tenth of a start, and as long again to compare each topic with every other.
 */
function pluginOf(typed: string, { root, about, commands }: Program): Plugin {
  const plugin = new Plugin({ root, isRoot: true });
  const first = firstWord(typed);
  const near = Object.values(commands).filter(({ id, aliases }) =>
    [id, ...aliases].some((name) => firstWord(name) === first),
  );
  return Object.assign(plugin, {
    root,
    pjson: about,
    name: about.name,
    alias: about.name,
    version: about.version,
    isRoot: true,
    valid: true,
    hasManifest: true,
    type: 'core',
    hooks: {},
    commands: near.map((command): Command.Loadable => {
      return { ...command, load: () => plugin.findCommand(command.id, { must: true }) };
    }),
  });
}

function firstWord(id: string): string | undefined {
  return id.split(':')[0];
}

/** oclif's help, which prints without a stream where none is needed. */
class QuickHelp extends Help {
  protected override CommandHelpClass = QuickCommandHelp;

  protected override log(...lines: string[]): void {
    print(`${lines.join(' ')}\n`);
  }
}

/** Fills in names itself: the template engine compiles a function for each of the hundred texts of a command. */
class QuickCommandHelp extends CommandHelp {
  constructor(...[command, config, opts]: ConstructorParameters<typeof CommandHelp>) {
    super(command, config, opts);
    const { render } = this;
    this.render = (text) => {
      const filled = text
        .replaceAll('<%= config.bin %>', this.config.bin)
        .replaceAll('<%= command.id %>', this.command.id);
      return /<%|%>/.test(filled) ? render(text) : filled;
    };
  }
}
