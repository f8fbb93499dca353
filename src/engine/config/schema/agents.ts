import * as z from 'zod/mini';
import { key, later, pattern, requiredKey, section, text, timeZone } from './keys.js';
import { memorySearch } from './memory-search.js';

// One schema for both places: building it is most of the work of building this root.
const search = later(memorySearch);

const defaults = () =>
  z.strictObject({
    workspace: key(text(), 'Folder that holds `MEMORY.md` and `memory/`'),
    userTimezone: key(timeZone(), 'Time zone of the person, for dates in memory'),
    memorySearch: key(search, 'How memory is indexed and searched'),
  });

const agent = () =>
  z.strictObject({
    id: requiredKey(
      pattern(
        /^[a-z0-9][a-z0-9_-]{0,63}$/u,
        'small letters, digits, _ and -, at most 64, a letter or digit first',
      ),
      'Name of the agent, for `--agent`',
    ),
    default: key(z.boolean(), 'The agent that is meant when none is named'),
    workspace: key(text(), 'Folder that holds its `MEMORY.md` and `memory/`'),
    memorySearch: key(search, 'Overrides of the defaults, field by field'),
  });

/** `agents`: who has a memory (configuration reference). */
export function agents() {
  return z.strictObject({
    defaults: section(defaults, 'What holds for every agent unless it says otherwise'),
    list: key(z.array(later(agent)), 'The agents; without a list there is one, `main`'),
  });
}
