import { resolve } from 'node:path';
import type { OpenedMemory } from '../../memory/index.js';
import { createLinkMap } from '../../memory/inspect/link-map.js';
import { formatCountOf } from '../../support/format.js';
import { uniqueBy } from '../../support/lists.js';
import { type Finding, finding } from '../check.js';

const NAMED = 3;

/** The broken links between indexed notes, as one note. Reads the index as it is. */
export async function brokenLinks({ home, agent }: OpenedMemory): Promise<Finding | undefined> {
  const opened = await home.open();
  if (opened.state !== 'ready') return undefined;
  const { index } = opened;
  try {
    const linking = await index.links();
    if (linking.length === 0) return undefined;
    const broken = createLinkMap(await index.documents(), linking).broken();
    const [first] = broken;
    if (first === undefined) return undefined;
    const targets = uniqueBy(broken, ({ target }) => target);
    const named = targets.slice(0, NAMED).map(({ from, line, target }) => {
      return `${from}#L${line} (${target})`;
    });
    const more = targets.length > NAMED ? ` and ${targets.length - NAMED} more` : '';
    return finding('links-broken', 'note', {
      message: `broken links to ${formatCountOf(targets.length, 'target')} in the notes of agent ${agent.id}: ${named.join(', ')}${more}`,
      cause: 'they lead to no indexed file, or to a name that several files have',
      place: { file: resolve(agent.workspaceDir, first.from), line: first.line, column: 1 },
      hint: `svc memory links --broken --agent ${agent.id}`,
    });
  } finally {
    index.close();
  }
}
