import { dreamBackfillCommand } from '../../cli/dream/backfill-command.js';

export default dreamBackfillCommand();
