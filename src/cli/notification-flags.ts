import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { withEnvironment } from './flags.js';

/** The target that an operator names. */
export const targetFlag = withEnvironment({
  target: Flags.string({ summary: 'Only the notification for this target.', helpValue: 'TARGET' }),
});

/** Which notifications an operator means. */
export const notificationFlags = {
  ...targetFlag,
  ...withEnvironment({
    flow: Flags.string({ summary: 'Only those of this flow (whole ID).', helpValue: 'ID' }),
  }),
};

/** The notification that an operator names. */
export const notificationArgs = {
  notification: Args.string({ description: 'Its number, or its whole ID.', required: true }),
};
