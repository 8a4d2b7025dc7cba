import { describeLikeRedis } from './memory-like-redis-suite.ts';

/** Many more of them are in memory-like-redis.long.test.ts. */
describeLikeRedis(20);
