import { dreamPromoteCommand } from '../../cli/dream/promote-command.js';

export default dreamPromoteCommand();
