import { describeLikeRedis } from './memory-like-redis-suite.ts';

describeLikeRedis(150);
