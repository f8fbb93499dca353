import { dreamRunCommand } from '../../cli/dream/run-command.js';

export default dreamRunCommand();
