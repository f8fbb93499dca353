import { embeddingStatus } from '../../memory/embedding/embedding-status.js';
import type { OpenedMemory } from '../../memory/open-memory.js';
import type { DoctorCheck } from '../check.js';
import type { Finding } from '../finding.js';
import type { ConfiguredWorld } from '../world.js';

const ENABLED = ['memorySearch', 'multimodal', 'enabled'] as const;
const MODEL = ['memorySearch', 'model'] as const;
const FILES_NAMED = 3;

/** Whether images and recordings, where they are wanted, can be found by what they hold. */
export const media: DoctorCheck = {
  name: 'media',
  needs: 'configuration',
  run: async (world) => {
    const wanted = (await world.memories()).filter(
      ({ agent }) => agent.memorySearch.multimodal.enabled,
    );
    const looks = await Promise.all(wanted.map((memory) => lookAt(memory, world)));
    const files = looks.reduce((sum, look) => sum + look.files, 0);
    const summary = wanted.length === 0 ? 'not wanted' : `${files} images and recordings`;
    const findings = looks.flatMap((look) => look.findings);
    return { summary, findings, off: wanted.length === 0 };
  },
};

async function lookAt(
  memory: OpenedMemory,
  world: ConfiguredWorld,
): Promise<{ readonly files: number; readonly findings: readonly Finding[] }> {
  const status = await memory.backend.status();
  const { index } = status;
  const { images, audio } =
    index.state === 'ready' ? index.statistics.media : { images: 0, audio: 0 };
  const told = embeddingStatus(memory, status).media;
  const findings: Finding[] = [];
  if (told?.obstacle !== undefined) {
    const { id } = memory.agent;
    const place = world.placeOfAgent(id, MODEL) ?? world.placeOfAgent(id, ENABLED);
    findings.push({
      code: 'media-unavailable',
      severity: 'warning',
      message: `images and recordings of agent ${memory.name} are found by their names alone`,
      cause: told.obstacle.why,
      ...(place === undefined ? {} : { place }),
      hint: `${told.obstacle.mend}, or memorySearch.multimodal.enabled to false`,
    });
  }
  const refused = told?.refused ?? [];
  if (refused.length > 0) {
    const named = refused.slice(0, FILES_NAMED).map(({ path, why }) => `${path} (${why})`);
    const rest = refused.length > named.length ? ` and ${refused.length - named.length} more` : '';
    findings.push({
      code: 'media-refused',
      severity: 'note',
      message: `the provider of agent ${memory.name} does not take ${refused.length} media files`,
      cause: `${named.join(', ')}${rest}`,
      hint: 'convert them to PNG, JPEG, MP3 or WAV; svc memory index --force sends them again',
    });
  }
  return { files: images + audio, findings };
}
