import { installedPdfLibrary, PDF_PACKAGE } from '../../memory/extract/pdf-library.js';
import { librariesDir } from '../../memory/sources/index.js';
import { type DoctorCheck, finding } from '../check.js';

/** Whether the kinds of documents that are indexed can be read. */
export const documents: DoctorCheck = {
  name: 'documents',
  needs: 'configuration',
  run: ({ agents, context, placeOfAgent }) => {
    const formats = new Set(agents.flatMap((agent) => agent.memorySearch.documents));
    if (formats.size === 0) return Promise.resolve({ summary: 'none', findings: [], off: true });
    const reader = agents.find((agent) => agent.memorySearch.documents.includes('pdf'));
    const isMissing =
      reader !== undefined &&
      installedPdfLibrary(librariesDir(context.state.stateDir)) === undefined;
    return Promise.resolve({
      summary: [...formats].join(', '),
      findings: isMissing
        ? [
            finding('pdf-library-missing', 'warning', {
              message: `PDF files are skipped: ${PDF_PACKAGE} is not installed`,
              place: placeOfAgent(reader.id, ['memorySearch', 'documents']),
              hint: 'svc memory documents install pdf',
            }),
          ]
        : [],
    });
  },
};
