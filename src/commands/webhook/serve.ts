import { examples } from '../../cli/base-command.js';
import { type FlagsOf, listenFlags, switchFlag } from '../../cli/flags.js';
import { accessLogFlag, ServeCommand, withAccessLog } from '../../cli/serve-command.js';
import type { LoadedConfig } from '../../engine/config/index.js';
import { SvcError } from '../../engine/errors/index.js';
import type { ServeOutput } from '../../engine/serve/index.js';

const WITHOUT = ['memory', 'refresh', 'dreaming'] as const;

export default class WebhookServe extends ServeCommand {
  static override summary = 'Serve the webhook routes.';
  static override description =
    `Listens on gateway.host and gateway.port and performs actions on the task flows of each route's session. A response with "ok": true means that the change is on disk. It is "svc serve" without memories, and without running tasks unless --run-tasks is given. Only one of the two can run for a state folder.

On SIGTERM or Ctrl-C it finishes requests in progress for up to gateway.drainSeconds; new ones get 503. A second signal stops it immediately. SIGHUP applies changed routes, limits and secrets; an invalid configuration is ignored. On a terminal it shows routes and deliveries, elsewhere it logs to stderr.`;
  static override examples = examples(
    '',
    '--port 9000 --plain',
    '--run-tasks',
    '--host 0.0.0.0 --json-logs',
  );
  static override flags = {
    ...listenFlags('gateway'),
    'run-tasks': switchFlag('Also run queued tasks with the programs of flows.runtimes.'),
    ...accessLogFlag,
    'json-logs': switchFlag('Log to stderr as one JSON object per line.'),
  };

  async run(): Promise<ServeOutput> {
    const { flags } = await this.parse(WebhookServe);
    requireWebhooks(await this.readConfig());
    return this.serve({
      without: [...WITHOUT, ...(flags['run-tasks'] ? [] : (['tasks'] as const))],
      jsonLogs: flags['json-logs'],
      webhooksScreen: true,
      adjust: (loaded) => withAccessLog(listeningAt(loaded, flags), flags),
    });
  }
}

function listeningAt(
  loaded: LoadedConfig,
  { host, port }: FlagsOf<typeof WebhookServe>,
): LoadedConfig {
  const { resolved } = loaded;
  const gateway = {
    ...resolved.gateway,
    host: host ?? resolved.gateway.host,
    port: port ?? resolved.gateway.port,
  };
  return { ...loaded, resolved: { ...resolved, gateway } };
}

function requireWebhooks({ resolved }: LoadedConfig): void {
  if (resolved.plugins.entries.webhooks.enabled) return;
  throw new SvcError('WEBHOOKS_DISABLED', 'webhooks are disabled', {
    hint: 'run "svc config set plugins.entries.webhooks.enabled true"',
  });
}
