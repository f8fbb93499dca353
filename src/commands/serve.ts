import { examples } from '../cli/base-command.js';
import { account, configWords, programWords, serviceVariables } from '../cli/context.js';
import { choicesFlag, type FlagsOf, switchFlag } from '../cli/flags.js';
import { accessLogFlag, ServeCommand, withAccessLog } from '../cli/serve-command.js';
import { SERVICE_SWITCHES, type ServeOutput, type SystemdOutput } from '../engine/serve/index.js';
import { canNotifySystemd, systemdUnit } from '../engine/serve/systemd-unit.js';

export default class Serve extends ServeCommand {
  static override summary = 'Run svc as a service: fresh indexes, webhooks, tasks.';
  static override description =
    `Keeps the indexes of all agents up to date and answers /healthz and /readyz on gateway.host and gateway.port. When configured, it also serves webhook routes, runs queued tasks and delivers notifications. A service that fails is restarted after a pause; the others keep running.

Runs in the foreground until SIGTERM or Ctrl-C, then finishes work in progress for up to gateway.drainSeconds. A second signal stops it immediately. SIGHUP reloads the configuration; an invalid one is ignored. On a terminal it shows all services, elsewhere it logs to stderr.`;
  static override examples = examples('', '--plain --without health', '--print-systemd');
  static override flags = {
    ...accessLogFlag,
    'print-systemd': switchFlag('Print a systemd unit for this installation and exit.'),
    without: choicesFlag(SERVICE_SWITCHES, 'Do not run this service.', 'SERVICE'),
  };

  async run(): Promise<ServeOutput | SystemdOutput> {
    const { flags } = await this.parse(Serve);
    if (flags['print-systemd']) return this.printUnit(flags);
    return this.serve({
      without: flags.without ?? [],
      adjust: (loaded) => withAccessLog(loaded, flags),
    });
  }

  private async printUnit(flags: FlagsOf<typeof Serve>): Promise<SystemdOutput> {
    const context = this.context();
    const { file, resolved } = await this.readConfig();
    const without = (flags.without ?? []).flatMap((name) => ['--without', name]);
    const accessLog = flags['access-log'] ? ['--access-log'] : [];
    const unit = systemdUnit({
      program: programWords(),
      args: [...configWords(flags.config, file), ...accessLog, ...without],
      user: account().name,
      homeDir: context.homeDir,
      env: serviceVariables(context),
      drainSeconds: resolved.gateway.drainSeconds,
      notifies: canNotifySystemd(context.env),
    });
    this.write(unit);
    return { unit };
  }
}
