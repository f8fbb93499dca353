import { type CronFields, parseCron } from '../../support/cron.js';
import { commandLine, ENVIRONMENT_FILE, escaped, quoted } from '../../support/systemd.js';
import { shellWord } from '../../support/text.js';

/** Content of the systemd units. */
export interface SystemdTimerOptions {
  /** Five crontab(5) fields, validated by the configuration. */
  readonly frequency: string;
  /** An IANA name; undefined means the host's. */
  readonly timeZone: string | undefined;
  /** The program and its arguments, with absolute paths. */
  readonly command: readonly string[];
  readonly user: string;
  readonly homeDir: string;
  /** Environment variables that locate state. */
  readonly env: Readonly<Record<string, string>>;
}

/** The text of `/etc/systemd/system/svc-dream.service` and `.timer`, for hosts that do not run `svc serve`. */
export function systemdTimer(options: SystemdTimerOptions) {
  const { frequency, timeZone, command, user, homeDir, env } = options;
  const service = [
    '[Unit]',
    'Description=svc: consolidate agent memory',
    '',
    '[Service]',
    'Type=oneshot',
    `User=${user}`,
    `WorkingDirectory=${escaped(homeDir)}`,
    ...Object.entries(env).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    ...ENVIRONMENT_FILE,
    `ExecStart=${commandLine(command)}`,
    'UMask=0077',
    'NoNewPrivileges=yes',
    'ProtectSystem=full',
  ];
  const timer = [
    '[Unit]',
    'Description=svc: schedule for consolidating agent memory',
    '',
    '[Timer]',
    ...calendarEvents(frequency, timeZone).map((event) => `OnCalendar=${event}`),
    '# Run once on wake-up if a run was missed.',
    'Persistent=true',
    'AccuracySec=1s',
    '',
    '[Install]',
    'WantedBy=timers.target',
  ];
  return { service: `${service.join('\n')}\n`, timer: `${timer.join('\n')}\n` };
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

/** Converts a crontab(5) schedule to systemd.time(7) calendar events. @throws TypeError if it is invalid */
export function calendarEvents(frequency: string, timeZone: string | undefined): string[] {
  const cron = parseCron(frequency);
  if (!cron.ok) throw new TypeError(cron.reason);
  const { fields } = cron;
  const time = `${listed(fields.hours, 24)}:${listed(fields.minutes, 60)}:00`;
  const zone = timeZone === undefined ? '' : ` ${zoneFile(timeZone)}`;
  const months = listed(fields.months, 12);
  return dayChoices(fields).map(({ weekDays, monthDays }) => {
    const week = weekDays === undefined ? '' : `${weekDays} `;
    return `${week}*-${months}-${monthDays} ${time}${zone}`;
  });
}

/** If either day field starts with a star both must match, otherwise one is enough; see nextRuns. */
function dayChoices(fields: CronFields) {
  const { daysOfMonth, daysOfWeek, anyDayOfMonth, anyDayOfWeek } = fields;
  const monthDays = listed(daysOfMonth, 31);
  const weekDays =
    daysOfWeek.size === 7 ? undefined : DAYS.filter((_, day) => daysOfWeek.has(day)).join(',');
  if (anyDayOfMonth || anyDayOfWeek) return [{ weekDays, monthDays }];
  return [
    { weekDays: undefined, monthDays },
    { weekDays, monthDays: '*' },
  ];
}

/** Lists every value: systemd interprets steps and ranges differently. */
function listed(values: ReadonlySet<number>, all: number): string {
  if (values.size === all) return '*';
  return [...values]
    .sort((a, b) => a - b)
    .map((value) => String(value).padStart(2, '0'))
    .join(',');
}

/**
 * A line for the user's crontab, for hosts that do not run `svc serve`; with a time zone, below its name.
 *
 * @param places environment variables that locate state; a crontab line sets them with `env`
 */
export function crontabLine(
  frequency: string,
  timeZone: string | undefined,
  command: readonly string[],
  places: Readonly<Record<string, string>> = {},
): string {
  const set = Object.entries(places).map(([name, value]) => `${name}=${value}`);
  const words = set.length === 0 ? command : ['/usr/bin/env', ...set, ...command];
  const line = `${frequency} ${words.map(crontabWord).join(' ')}`;
  if (timeZone === undefined) return line;
  const note =
    "# cronie (Fedora, RHEL, Arch) applies CRON_TZ; those of Debian and macOS ignore it and use the host's time zone";
  return `${note}\nCRON_TZ=${zoneFile(timeZone)}\n${line}`;
}

/** A time zone in the case of its file, by which systemd and cron find it: a configuration can have any. */
function zoneFile(timeZone: string): string {
  const known = new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  // Some names are resolved to older ones, which not every system has.
  return known.toLowerCase() === timeZone.toLowerCase() ? known : timeZone;
}

/** In a crontab `%` is a line break, even inside quotes. */
function crontabWord(word: string): string {
  return shellWord(word).replaceAll('%', String.raw`\%`);
}
