import { type ChosenTarget, examples } from '../../cli/base-command.js';
import { switchFlag, textFlag, yesFlag } from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import { allOf } from '../../cli/standard-streams.js';
import { type InitializedConfig, initConfig } from '../../engine/config/authoring.js';
import { SvcError } from '../../engine/errors/index.js';
import type { SetUpOutput } from '../../engine/set-up/index.js';
import { safeLine } from '../../ui/safe-text.js';

export default class ConfigInit extends MemoryCommand {
  static override summary = 'Set svc up: workspace, provider, key, first index.';
  static override description =
    `On a terminal it asks one question at a time: Enter accepts the default, ? explains the question, Esc or Ctrl-C quits. Nothing is written until you confirm at the end. An existing configuration keeps its comments and is changed only where needed.

With a flag, or with --yes, the defaults are used for everything that no flag sets; without a terminal nothing is asked. Exits with 1 when the provider does not work; the configuration is written anyway.

Without a terminal (or with --plain, or TERM=dumb) and without flags it writes a commented configuration (yours, or the file named by --config) with the JSON Schema for editors next to it. An existing file is kept unless you pass --force.`;
  static override examples = examples(
    '',
    '--config ./svc.json --force',
    '--workspace ~/notes --provider openai --key-env OPENAI_API_KEY',
    '--provider voyage --key-stdin --no-index --json',
    '--yes',
  );
  static override flags = {
    ...yesFlag,
    force: switchFlag('Start over: replace an existing file.', { char: 'f' }),
    workspace: textFlag('The workspace folder; created when it is missing.', 'DIR', { char: 'w' }),
    provider: textFlag(
      'Embedding provider: an adapter, an entry of models.providers, auto, or none.',
      'NAME',
    ),
    model: textFlag('The embedding model.', 'NAME'),
    'key-env': textFlag('The variable with the API key; the key itself is not written.', 'NAME', {
      exclusive: ['key-stdin'],
    }),
    'key-stdin': switchFlag('Read the API key from stdin and store it in a private file.'),
    'no-index': switchFlag('Do not build an index.'),
  };

  /** --workspace is written into the configuration, so later commands find the memory without it. */
  protected override targetFor(_command: string): ChosenTarget {
    return {};
  }

  async run(): Promise<InitializedConfig | SetUpOutput> {
    const { flags } = await this.parse(ConfigInit);
    const isAsking = this.terminal().questions && !flags.yes;
    const { workspace, provider, model } = flags;
    const hasAnswers = [workspace, provider, model, flags['key-env']].some(
      (flag) => flag !== undefined,
    );
    if (!isAsking && !hasAnswers && !flags.yes && !flags['key-stdin'] && !flags['no-index']) {
      const { config: configFile, force } = flags;
      const options = { configFile, force, signal: this.signal };
      const written = await initConfig(this.context(), options);
      this.write(`wrote ${safeLine(written.file)}\nwrote ${safeLine(written.schemaFile)}\n`);
      return written;
    }
    const { runSetUp } = await import('../../cli/set-up/run-set-up.js');
    return runSetUp(flags, {
      ...(await this.commandContext()),
      asks: isAsking,
      readStdin: async (mostBytes) => {
        if (process.stdin.isTTY) {
          throw new SvcError('USAGE', '--key-stdin needs the key on stdin', {
            hint: 'pipe the key in, or omit the flag to be asked for it',
          });
        }
        return String(await allOf(process.stdin, this.signal, mostBytes));
      },
      openMemory: (configFile) => this.openMemory({ config: configFile }),
      sync: (memory) => this.syncShown(memory),
      fail: () => this.setExitCode(1),
      warn: (warning) => this.addWarning(warning),
    });
  }
}
