/** For the first visit: what this is, and something to try. */
import { usePlace } from '../../place.ts';

export function Welcome({ isSandbox }: { isSandbox: boolean }) {
  const { isOperator } = usePlace();
  return (
    <div class="welcome">
      <p>
        <b>rollcall adds members to chat groups in bulk</b>: give it a file that says who belongs to which group, and it
        sends the memberships and reports what happened to every row.
      </p>
      {isSandbox && (
        <p>
          <b>This server sends to a sandbox</b>: a local copy of the chat service. You can try everything; nothing
          reaches real users.
        </p>
      )}
      {isOperator ? (
        <p>To begin, choose a file below. To see what one looks like, download a template or press “Try a sample”.</p>
      ) : (
        <p>There are no imports yet. An operator can start the first one.</p>
      )}
    </div>
  );
}
