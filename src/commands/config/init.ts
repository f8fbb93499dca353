import { text as readAll } from 'node:stream/consumers';
import * as Flags from '@oclif/core/flags';
import { withEnvironment, yesFlag } from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import { type InitializedConfig, initConfig } from '../../engine/config/authoring.js';
import { SvcError } from '../../engine/errors/index.js';
import type { SetUpOutput } from '../../engine/set-up/output.js';
import { safeLine } from '../../ui/safe-text.js';

type InitOutput = InitializedConfig | SetUpOutput;

export default class ConfigInit extends MemoryCommand<InitOutput> {
  static override summary = 'Set svc up: workspace, provider, key, first index.';
  static override description =
    `On a terminal it asks, one question at a time: Enter takes what is proposed, Esc or Ctrl-C leaves everything as it was. Nothing is written before the last question is answered with yes. A configuration that is there is changed where it has to be and keeps its comments.

With one of its flags nothing is asked without a terminal, or with --yes: what no flag says is taken as it would be proposed. Exits with 1 when the provider does not work; what was asked for is written all the same.

Without a terminal and without flags it writes a commented configuration to start from, your own or the file named by --config, and the JSON Schema for editors beside it. A file that is there is kept then unless --force is given.`;
  static override examples = [
    '<%= config.bin %> config init',
    '<%= config.bin %> config init --config ./svc.json --force',
    '<%= config.bin %> config init --workspace ~/notes --provider openai --key-env OPENAI_API_KEY',
    '<%= config.bin %> config init --provider voyage --key-stdin --no-index --json',
    '<%= config.bin %> config init --yes',
  ];
  static override flags = {
    ...yesFlag,
    ...withEnvironment({
      force: Flags.boolean({ char: 'f', summary: 'Begin anew: replace a file that is there.' }),
      workspace: Flags.string({
        char: 'w',
        summary: 'The folder of the memory; made when it is missing.',
        helpValue: 'DIR',
      }),
      provider: Flags.string({
        summary: 'Who embeds: an adapter, an entry of models.providers, or none.',
        helpValue: 'NAME',
      }),
      model: Flags.string({ summary: 'The embedding model.', helpValue: 'NAME' }),
      'key-env': Flags.string({
        summary: 'The variable that holds the key; the key itself is not written.',
        helpValue: 'NAME',
        exclusive: ['key-stdin'],
      }),
      'key-stdin': Flags.boolean({
        summary: 'Read the key from stdin and keep it in a file of secrets of your own.',
      }),
      'no-index': Flags.boolean({ summary: 'Build no index.' }),
    }),
  };

  async run(): Promise<InitOutput> {
    const { flags } = await this.parse(ConfigInit);
    const terminal = this.terminal(flags);
    const asks = terminal.screen && !flags.yes;
    const { workspace, provider, model } = flags;
    const said = [workspace, provider, model, flags['key-env']].some((flag) => flag !== undefined);
    if (!asks && !said && !flags.yes && !flags['key-stdin'] && !flags['no-index']) {
      const written = initConfig(this.context(), { configFile: flags.config, force: flags.force });
      this.write(`wrote ${safeLine(written.file)}\nwrote ${safeLine(written.schemaFile)}\n`);
      return written;
    }
    const { runSetUp } = await import('../../cli/set-up/run-set-up.js');
    return runSetUp(flags, {
      context: this.context(),
      terminal,
      asks,
      signal: this.signal,
      mask: this.mask,
      write: (text) => this.write(text),
      readStdin: async () => {
        if (process.stdin.isTTY) {
          throw new SvcError('USAGE', '--key-stdin reads the key from a pipe', {
            hint: 'pipe it in, or leave the flag out and be asked',
          });
        }
        return readAll(process.stdin);
      },
      openMemory: (configFile) => this.openMemory({ config: configFile }),
      sync: (memory) => this.syncShown(memory, flags),
      fail: () => this.setExitCode(1),
      warn: (warning) => this.addWarning(warning),
    });
  }
}
