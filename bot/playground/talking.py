"""Talking as a person does, and what goes on around the talk: members, channels, accounts."""

from __future__ import annotations

from bot.playground import membership, messages
from bot.playground.people import Channel, Member
from bot.playground.refusal import Refusal
from bot.playground.world import Conversation, Json, World


class Talking:
    """What people do in channels; part of `Playground`. People and channels are named by id or name."""

    world: World

    def _member(self, user: str, channel: str, *, open_only: bool = True) -> tuple[str, Conversation]:
        person, conversation = self.world.user(user), self.world.conversation(channel)
        if person["deleted"]:
            raise Refusal("account_inactive", person["name"])
        if person["id"] not in conversation.members:
            raise Refusal("not_in_channel", f"{person['name']} is not in {conversation.name or conversation.id}")
        if open_only and conversation.archived:
            raise Refusal("is_archived")
        return person["id"], conversation

    # --- messages ---

    def post(
        self,
        user: str,
        channel: str,
        text: str,
        *,
        thread_ts: str = "",
        broadcast: bool = False,
        subtype: str = "",
        blocks: list[Json] | None = None,
    ) -> str:
        """Say something and return its ts; text is Slack's own (`&amp;`, `<@U…>`), `mention` names the bot.

        Args:
            thread_ts: of any message of the thread to reply in.
            broadcast: also send a reply to the channel.
            subtype: such as "me_message", "file_share", or "bot_message" for another app's post.
        """
        with self.world.changed:
            author, conversation = self._member(user, channel)
            fields = {"subtype": subtype} if subtype else None
            return str(
                messages.post(
                    self.world,
                    conversation,
                    author,
                    text,
                    thread_ts=thread_ts,
                    broadcast=broadcast,
                    fields=fields,
                    blocks=blocks,
                )["ts"]
            )

    def edit(self, user: str, channel: str, ts: str, text: str) -> None:
        """Edit one's own message."""
        with self.world.changed:
            author, conversation = self._member(user, channel)
            if self._message(conversation, ts)["user"] != author:
                raise Refusal("cant_update_message")
            messages.edit(self.world, conversation, ts, author, text=text)

    def unfurl(self, channel: str, ts: str) -> None:
        """Have Slack put a preview under a message: message_changed whose text is the same."""
        with self.world.changed:
            conversation = self.world.conversation(channel)
            author = self._message(conversation, ts)["user"]
            messages.edit(self.world, conversation, ts, author, text=None)

    def delete(self, user: str, channel: str, ts: str) -> None:
        """Delete one's own message; admins may delete anybody's."""
        with self.world.changed:
            author, conversation = self._member(user, channel)
            mine = self._message(conversation, ts)["user"] == author
            if not mine and not self.world.users[author].get("is_admin"):
                raise Refusal("cant_delete_message")
            messages.delete(self.world, conversation, ts)

    def react(self, user: str, channel: str, ts: str, name: str) -> None:
        """React with an emoji by name (`bookmark`, `+1::skin-tone-2`); impossible on what only one person sees."""
        with self.world.changed:
            author, conversation = self._member(user, channel)
            messages.react(self.world, conversation, ts, author, name)

    def unreact(self, user: str, channel: str, ts: str, name: str) -> None:
        """Take one's reaction back."""
        with self.world.changed:
            author, conversation = self._member(user, channel)
            messages.unreact(self.world, conversation, ts, author, name)

    def _message(self, conversation: Conversation, ts: str) -> Json:
        if ts not in conversation.messages:
            raise Refusal("message_not_found")
        return conversation.messages[ts]

    # --- members ---

    def join(self, user: str, channel: str) -> None:
        """Join a public channel; guests must be invited."""
        with self.world.changed:
            person, conversation = self.world.user(user), self.world.conversation(channel)
            if conversation.private:
                raise Refusal("method_not_supported_for_channel_type")
            if person["is_restricted"]:
                raise Refusal("user_is_restricted")
            membership.bring_in(self.world, conversation, person["id"])

    def invite(self, user: str, channel: str, whom: str) -> None:
        """Invite somebody (the bot too) into a channel that one is in."""
        with self.world.changed:
            inviter, conversation = self._member(user, channel)
            membership.bring_in(self.world, conversation, self.world.user(whom)["id"], inviter=inviter)

    def invite_bot(self, user: str, channel: str) -> None:
        """Invite the bot."""
        self.invite(user, channel, self.world.workspace.bot_user_id)

    def leave(self, user: str, channel: str) -> None:
        """Leave a channel."""
        with self.world.changed:
            author, conversation = self._member(user, channel)
            membership.take_out(self.world, conversation, author)

    def kick(self, user: str, channel: str, whom: str) -> None:
        """Remove somebody (the bot too) from a channel."""
        with self.world.changed:
            author, conversation = self._member(user, channel)
            membership.take_out(self.world, conversation, self.world.user(whom)["id"], by=author)

    # --- channels ---

    def archive(self, user: str, channel: str) -> None:
        """Archive a channel, which puts the bot out of it."""
        with self.world.changed:
            author, conversation = self._member(user, channel)
            membership.archive(self.world, conversation, author)

    def unarchive(self, user: str, channel: str) -> None:
        """Open an archived channel again."""
        with self.world.changed:
            author, conversation = self._member(user, channel, open_only=False)
            membership.unarchive(self.world, conversation, author)

    def convert(self, user: str, channel: str, *, private: bool) -> None:
        """Make a channel private or public."""
        with self.world.changed:
            author, conversation = self._member(user, channel)
            membership.convert(self.world, conversation, author, private=private)

    def rename(self, user: str, channel: str, name: str) -> None:
        """Rename a channel."""
        with self.world.changed:
            author, conversation = self._member(user, channel)
            membership.rename(self.world, conversation, author, name)

    def delete_channel(self, user: str, channel: str) -> None:
        """Delete a channel with all that was said in it."""
        with self.world.changed:
            author, conversation = self._member(user, channel, open_only=False)
            membership.remove(self.world, conversation, author)

    def share(self, channel: str, *, shared: bool = True, team: str = "T0OTHER") -> None:
        """Share a channel with another workspace (Connect), or end that."""
        with self.world.changed:
            membership.share(self.world, self.world.conversation(channel), shared=shared, team=team)

    def change_channel_id(self, channel: str, new_id: str) -> None:
        """Give a channel another id, as Connect does."""
        with self.world.changed:
            membership.change_id(self.world, self.world.conversation(channel), new_id)

    def add_channel(self, channel: Channel) -> str:
        """Add a channel without a word and return its id."""
        with self.world.changed:
            return self.world.add_conversation(channel).id

    def direct(self, *users: str) -> str:
        """Return the id of the direct (or group) message of these people with the bot."""
        with self.world.changed:
            return self.world.direct(*(self.world.user(user)["id"] for user in users)).id

    # --- accounts ---

    def add_member(self, member: Member) -> str:
        """Let somebody join the workspace: team_join."""
        with self.world.changed:
            user = self.world.add_user(member)
            self.world.emit({"type": "team_join", "user": user, "event_ts": self.world.next_ts()})
            return member.id

    def deactivate(self, user: str) -> None:
        """Deactivate an account."""
        with self.world.changed:
            membership.deactivate(self.world, self.world.user(user))

    def change_user(self, user: str, **fields: object) -> None:
        """Change an account's fields, such as is_admin or is_restricted, and tell the app."""
        with self.world.changed:
            person = self.world.user(user)
            person.update(fields)
            membership.user_changed(self.world, person)

    def uninstall(self) -> None:
        """Uninstall the app: its tokens die."""
        with self.world.changed:
            membership.uninstall(self.world)
