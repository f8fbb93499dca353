import { SvcError } from '../../errors/index.js';
import { namedPrograms } from '../../task-runner/named-programs.js';
import type { DoctorCheck } from '../check.js';
import type { Finding } from '../finding.js';

/** Whether the programs that run tasks, and take notifications, could be started. */
export const tasks: DoctorCheck = {
  name: 'tasks',
  needs: 'configuration',
  run: async ({ context, loaded, placeOf }) => {
    const programs = namedPrograms(context, loaded);
    const findings = programs.flatMap(({ path, found }): readonly Finding[] => {
      if (!(found instanceof SvcError)) return [];
      const place = placeOf(path);
      return [
        {
          code: 'program-missing',
          severity: 'fault',
          message: `${path.slice(0, -1).join('.')} cannot work: ${found.message}`,
          ...(place === undefined ? {} : { place }),
          ...(found.hint === undefined ? {} : { hint: found.hint }),
        },
      ];
    });
    const names = programs.flatMap(({ found }) => (typeof found === 'string' ? [found] : []));
    const summary = names.length === 0 ? 'no programs are configured' : names.join(', ');
    return { summary, findings, off: programs.length === 0 };
  },
};
