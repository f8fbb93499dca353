export {
  type ActivityHistory,
  activityFolder,
  readActivityHistory,
  recordActivity,
} from './activity-history.js';
