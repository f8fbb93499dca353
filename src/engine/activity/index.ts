export {
  type ActivityHistory,
  activityFolder,
  activityRecorder,
  readActivityHistory,
  recordActivity,
} from './activity-history.js';
