import { Config } from '@oclif/core/config';
import { run } from '@oclif/core/run';
import { settings } from '@oclif/core/settings';
import { closest, distance } from 'fastest-levenshtein';
import { SvcError } from '../engine/errors/index.js';
import { environmentSecrets } from '../engine/secrets/mask/environment-secrets.js';
import { createSecretMask } from '../engine/secrets/mask/secret-mask.js';
import { exitCodeOf, formatErrorText, reportError } from './report-error.js';
import { asksForRootHelp, rootHelp } from './root-help.js';

/** oclif's own start: help, version, plugin commands; and a suggestion for a mistyped command. */
export async function runWithOclif(
  argv: readonly string[],
  root: string,
  development: boolean,
): Promise<void> {
  if (development) settings.debug = true;
  try {
    const config = await Config.load({ root });
    if (asksForRootHelp(argv)) {
      process.stdout.write(rootHelp(config));
      return;
    }
    refuseUnknownCommand(argv, config);
    await run([...argv], config.options);
  } catch (error) {
    if (isExit(error)) {
      process.exitCode = error.oclif.exit;
      return;
    }
    const mask = createSecretMask(environmentSecrets(process.env));
    const report = reportError(error, mask);
    process.exitCode = exitCodeOf(report);
    if (argv.includes('--json'))
      process.stdout.write(`${JSON.stringify({ error: report }, null, 2)}\n`);
    else process.stderr.write(formatErrorText(report));
  }
}

/** Throws USAGE when the words name neither a command nor a topic. */
function refuseUnknownCommand(argv: readonly string[], config: Config): void {
  const end = argv.findIndex((word) => word.startsWith('-'));
  const words = end === -1 ? argv : argv.slice(0, end);
  const first = words[0];
  if (first === undefined) return;
  const known = [...config.commandIDs, ...config.topics.map((topic) => topic.name)];
  for (let count = words.length; count > 0; count--) {
    const id = words.slice(0, count).join(':');
    const isTopic = config.findTopic(id) !== undefined;
    if (config.findCommand(id) !== undefined || (isTopic && count === words.length)) return;
    if (isTopic) break;
  }
  // Beyond the words that name a topic, one more was meant for a command; the rest are arguments.
  const topicWords = words.findIndex((_, index) => {
    return config.findTopic(words.slice(0, index + 1).join(':')) === undefined;
  });
  const asked = words.slice(0, topicWords + 1).join(':');
  const near = closest(asked, known);
  const hint =
    distance(asked, near) <= Math.max(2, asked.length / 3)
      ? `did you mean "svc ${near.replaceAll(':', ' ')}"?`
      : 'svc --help lists the commands';
  throw new SvcError('USAGE', `there is no command "${asked.replaceAll(':', ' ')}"`, { hint });
}

function isExit(error: unknown): error is { readonly oclif: { readonly exit: number } } {
  return error instanceof Error && 'code' in error && error.code === 'EEXIT';
}
