import { feature, type ServicesOf } from '../../feature.js';
import type { Account } from '../account/feature.js';
import { carriedChallenges } from './carried.js';
import { Challenge } from './challenge.entity.js';
import {
  ChallengeChangeResolver,
  ChallengeFields,
  ChallengeResolver,
  UserChallengeFields,
} from './challenge.resolver.js';
import { challengeRoutes } from './challenge.routes.js';
import { ChallengeService } from './challenge.service.js';
import { challengesReasons } from './reasons.js';
import { ChallengeTemplate } from './template.entity.js';
import { TemplateResolver } from './template.resolver.js';
import { TemplateService } from './template.service.js';

export const challenges = feature({
  reasons: challengesReasons,
  entities: [ChallengeTemplate, Challenge],
  commands: { templates: () => import('./templates.command.js') },
  carries: [carriedChallenges],
  build({ database, clock }, { accounts }: Account) {
    const templates = new TemplateService(database);
    const challenges = new ChallengeService(database, clock, accounts);
    return {
      services: { templates, challenges },
      resolvers: [
        new TemplateResolver(templates),
        new ChallengeResolver(challenges, accounts),
        new ChallengeChangeResolver(challenges, accounts),
        new ChallengeFields(templates),
        new UserChallengeFields(challenges),
      ],
      routes: challengeRoutes(templates, challenges),
    };
  },
});

export type Challenges = ServicesOf<typeof challenges>;
