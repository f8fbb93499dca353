import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { withEnvironment } from '../../cli/flags.js';
import { shownServe } from '../../cli/shown-serve.js';
import { type LoadedConfig, loadConfig } from '../../engine/config/index.js';
import { serveOutput } from '../../engine/serve/output.js';
import type { ServeOutput } from '../../engine/serve/output-schemas.js';
import { requireWebhooks } from '../../engine/webhooks/require-webhooks.js';

const PORT = { min: 0, max: 65_535 };

export default class WebhookServe extends BaseCommand<ServeOutput> {
  static override summary = 'Serve the webhook routes.';
  static override description =
    `Listens on gateway.host and gateway.port and performs what trusted systems ask for on the task flows of the session of their route. An answer with "ok": true means that the change is on disk. It is svc serve without the memories, and without running tasks unless told to: one of the two runs for a state folder.

SIGTERM and Ctrl-C end the requests under way, for gateway.drainSeconds at most; new ones get 503 meanwhile. A second signal ends it at once. SIGHUP takes on changed routes, limits and secrets, all of them or none. On a terminal it shows routes and flows, elsewhere its log goes to stderr.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --port 9000 --plain',
    '<%= config.bin %> <%= command.id %> --run-tasks',
    '<%= config.bin %> <%= command.id %> --host 0.0.0.0 --json-logs',
  ];
  static override flags = withEnvironment({
    host: Flags.string({
      summary: 'Listen on this address instead of gateway.host.',
      helpValue: 'HOST',
    }),
    port: Flags.integer({
      ...PORT,
      summary: 'Listen on this port instead of gateway.port; 0 takes a free one.',
      helpValue: 'PORT',
    }),
    'run-tasks': Flags.boolean({
      summary: 'Run queued tasks too, by the programs of flows.runtimes.',
    }),
    'json-logs': Flags.boolean({
      summary: 'Write the log to stderr as one JSON object a line.',
    }),
  });

  /** Something may still be at work. */
  private isCutOff = false;

  async run(): Promise<ServeOutput> {
    const { flags } = await this.parse(WebhookServe);
    const context = this.context();
    requireWebhooks(await loadConfig(context, { configFile: flags.config }));
    const end = await shownServe({
      context,
      configFile: flags.config,
      without: flags['run-tasks'] ? ['memory', 'dreaming'] : ['memory', 'dreaming', 'tasks'],
      terminal: this.terminal(flags),
      quiet: flags.quiet,
      verbose: flags.verbose,
      mask: this.mask,
      jsonLogs: flags['json-logs'],
      webhooksScreen: true,
      adjust: (loaded) => listeningAt(loaded, flags),
    });
    if (end.reason === 'SIGINT') this.setExitCode(130);
    else if (end.reason === 'crash' || !end.isDrained) this.setExitCode(1);
    this.isCutOff = !end.isDrained;
    return serveOutput(end);
  }

  protected override async finally(): Promise<void> {
    await super.finally();
    // After the answer was printed, which comes after this.
    if (this.isCutOff) setImmediate(() => process.exit());
  }
}

interface Place {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
}

function listeningAt(loaded: LoadedConfig, { host, port }: Place): LoadedConfig {
  const { resolved } = loaded;
  const gateway = {
    ...resolved.gateway,
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
  };
  return { ...loaded, resolved: { ...resolved, gateway } };
}
