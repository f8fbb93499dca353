import { existsSync } from 'node:fs';
import type { ResolvedAgent } from '../../config/index.js';
import { installedPdfLibrary, PDF_PACKAGE } from '../../memory/extract/pdf-library.js';
import { archiveOf } from '../../memory/sessions/index.js';
import { librariesDir } from '../../memory/sources/index.js';
import { formatBytes, formatCountOf } from '../../support/format.js';
import { type ConfiguredWorld, configuredCheck, type Finding, faultOf, finding } from '../check.js';

/** Whether the kinds of documents that are indexed can be read. */
export const documents = configuredCheck('documents', async ({ agents, context, placeOfAgent }) => {
  const formats = new Set(agents.flatMap((agent) => agent.memorySearch.documents));
  if (formats.size === 0) return { summary: 'none', findings: [], off: true };
  const reader = agents.find((agent) => agent.memorySearch.documents.includes('pdf'));
  const isMissing =
    reader !== undefined && installedPdfLibrary(librariesDir(context.state.stateDir)) === undefined;
  return {
    summary: [...formats].join(', '),
    findings: isMissing
      ? [
          finding('pdf-library-missing', 'warning', {
            message: `PDF files are skipped: ${PDF_PACKAGE} is not installed`,
            place: placeOfAgent(reader.id, ['memorySearch', 'documents']),
            hint: 'run "svc memory documents install pdf"',
          }),
        ]
      : [],
  };
});

/** Whether archived conversations can be read, and exports that are imported. */
export const archive = configuredCheck('archive', async (world) => {
  const findings: Finding[] = [];
  let conversations = 0;
  let bytes = 0;
  for (const agent of world.agents) {
    const archived = archiveOf({ agent }, world.context);
    try {
      const sessions = archived.sessions().filter(({ turns }) => turns > 0);
      conversations += sessions.length;
      for (const session of sessions) bytes += session.bytes;
      findings.push(...importFindings(agent, archived, world));
    } catch (error) {
      const { file } = archived.settings;
      findings.push(faultOf('archive-unreadable', error, { place: { file } }));
    }
  }
  const summary = `${formatCountOf(conversations, 'conversation')}, ${formatBytes(bytes)}`;
  const off = conversations === 0 && findings.length === 0;
  return off ? { summary: 'none', findings, off } : { summary, findings };
});

/** Exports that are missing or could not be read. */
function importFindings(
  agent: ResolvedAgent,
  archived: ReturnType<typeof archiveOf>,
  { placeOfAgent }: ConfiguredWorld,
): readonly Finding[] {
  const place = placeOfAgent(agent.id, ['memorySearch', 'sync', 'sessions', 'imports']);
  const { skipped } = archived.list(() => false);
  const missing = agent.memorySearch.sync.sessions.imports.filter((path) => !existsSync(path));
  return [
    ...missing.map((path) =>
      finding('import-missing', 'warning', {
        message: `${path} is missing; what was imported from it stays`,
        place,
        hint: 'correct the path in memorySearch.sync.sessions.imports, or remove it',
      }),
    ),
    ...skipped
      .filter(({ path }) => !missing.includes(path))
      .map(({ path, reason, detail }) =>
        finding('import-unreadable', 'warning', {
          message: `${path} is not imported completely: ${detail ?? reason}`,
          place,
          hint: 'name conversations.json or its zip in memorySearch.sync.sessions.imports, or download it again',
        }),
      ),
  ];
}
