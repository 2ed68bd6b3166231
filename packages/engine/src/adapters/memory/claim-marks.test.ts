import { claimMarksContract } from '../../ports/claim-marks.contract.ts';
import { memoryStoreSubject } from './store-subject.contract.ts';

claimMarksContract(memoryStoreSubject);
