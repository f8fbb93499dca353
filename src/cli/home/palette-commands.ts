import type { PaletteCommand, PaletteValue } from '../../ui/screens/home/palette.js';
import { type ManifestCommand, readManifest } from '../manifest.js';

/** Home itself, and what is not for people at a terminal: servers and scripts that other programs start. */
const NOT_FROM_HOME = ['completion:script', 'mcp', 'memory:recall', 'ui'];
/** Topics whose `--agent` chooses a memory. */
const OF_AGENTS = /^(?:dream|memory|provider):/u;

/** Everything that can be run from the home screen, as the commands describe themselves. */
export function paletteCommands(root: string): readonly PaletteCommand[] {
  return Object.entries(readManifest(root))
    .filter(([id, { hidden }]) => hidden !== true && !NOT_FROM_HOME.includes(id))
    .map(([key, command]) => {
      const { summary = '', aliases, flags } = command;
      const id = key.replaceAll(':', ' ');
      return {
        id,
        text: [id, ...aliases, summary].join(' '),
        summary,
        values: valuesOf(command),
        takesAgent: OF_AGENTS.test(key) && flags['agent'] !== undefined,
      };
    });
}

/** Required flags, then arguments. */
function valuesOf({ flags, args }: ManifestCommand): readonly PaletteValue[] {
  return [
    ...Object.entries(flags)
      .filter(([, { required }]) => required === true)
      .map(([name, { summary, options }]) => ({
        name,
        flag: name,
        description: described(summary, options),
        isRequired: true,
      })),
    ...Object.entries(args).map(([name, { description, options, required }]) => ({
      name,
      flag: undefined,
      description: described(description, options),
      isRequired: required === true,
    })),
  ];
}

function described(text = '', options: readonly string[] = []): string {
  return options.length === 0 ? text : `${text} One of: ${options.join(', ')}`;
}
