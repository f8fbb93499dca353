import { dreamExplainCommand } from '../../cli/dream/explain-command.js';

export default dreamExplainCommand();
