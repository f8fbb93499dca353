import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { withEnvironment } from './flags.js';

/** How a worker says which task it reports on. */
export const leaseArgs = {
  task: Args.string({ required: true, description: 'The id that svc task claim gave.' }),
};

/** How a worker proves that it holds it. */
export const leaseFlags = withEnvironment({
  'lease-token': Flags.string({
    summary:
      'The token that svc task claim gave; better in SVC_LEASE_TOKEN, which no list of processes shows. A task that is noted as running elsewhere has none.',
    helpValue: 'TOKEN',
  }),
});
