import * as Args from '@oclif/core/args';

const byId = () =>
  Args.string({
    required: true,
    description: 'Its id, or the beginning of it (4 characters at least).',
  });

/** How a person says which claim is decided on. */
export const claimArgs = {
  claim: Args.string({ required: true, description: 'Its key, the beginning of it, or its text.' }),
};

/** How an operator says which flow is meant. */
export const flowArgs = { flow: byId() };

/** How an operator says which task is meant. */
export const taskArgs = { task: byId() };
