import { SvcError } from '../../errors/index.js';
import { registeredHooks } from '../../integrate/index.js';
import { namedPrograms } from '../../task-runner/index.js';
import type { DoctorCheck, Finding } from '../check.js';

/** Whether the programs for tasks and notifications can be started. */
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
          message: `${path.slice(0, -1).join('.')}: ${found.message}`,
          place,
          hint: found.hint,
        },
      ];
    });
    const names = programs.flatMap(({ found }) => (typeof found === 'string' ? [found] : []));
    const summary = names.length === 0 ? 'none configured' : names.join(', ');
    return { summary, findings, off: programs.length === 0 };
  },
};

/** Whether the active memory hooks of coding agents recall anything. */
export const hooks: DoctorCheck = {
  name: 'hooks',
  needs: 'configuration',
  run: async ({ context, host: { platform } }) => {
    const registered = await registeredHooks({ ...context, platform });
    if (registered.length === 0) {
      return { summary: 'none registered', findings: [], off: true };
    }
    return {
      summary: registered.map(({ title }) => title).join(', '),
      findings: registered.flatMap(({ title, file, effect: { recalls, why, hint } }): Finding[] => {
        if (recalls) return [];
        const message = `${title} runs svc before each turn, but nothing is recalled: ${why}`;
        return [
          {
            code: 'hook-recalls-nothing',
            severity: 'warning',
            message,
            place: { file },
            hint: hint ?? 'svc memory recall --explain shows which check fails',
          },
        ];
      }),
    };
  },
};
