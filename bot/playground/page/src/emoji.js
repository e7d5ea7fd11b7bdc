// Emoji by the names that Slack gives them; characters of the machine's own font, nothing is downloaded.

export const PICK = [
  ["bookmark", "🔖"], ["+1", "👍"], ["-1", "👎"], ["x", "❌"], ["see_no_evil", "🙈"], ["white_check_mark", "✅"],
  ["eyes", "👀"], ["tada", "🎉"], ["heart", "❤️"], ["joy", "😂"], ["smile", "😄"], ["thinking_face", "🤔"],
  ["pray", "🙏"], ["raised_hands", "🙌"], ["clap", "👏"], ["muscle", "💪"], ["rocket", "🚀"], ["fire", "🔥"],
  ["100", "💯"], ["warning", "⚠️"], ["question", "❓"], ["bulb", "💡"], ["memo", "📝"], ["pushpin", "📌"],
  ["calendar", "📅"], ["hourglass", "⌛"], ["coffee", "☕"], ["wave", "👋"], ["sob", "😭"], ["sunglasses", "😎"],
];

const MORE = {
  thumbsup: "👍", thumbsdown: "👎", heavy_check_mark: "✔️", information_source: "ℹ️", speech_balloon: "💬",
  grin: "😁", slightly_smiling_face: "🙂", wink: "😉", cry: "😢", open_mouth: "😮", facepalm: "🤦", shrug: "🤷",
  bike: "🚲", bicyclist: "🚴", wrench: "🔧", bug: "🐛", lock: "🔒", key: "🔑", star: "⭐", sparkles: "✨", zap: "⚡",
  no_entry: "⛔", no_entry_sign: "🚫", rotating_light: "🚨", mag: "🔍", books: "📚", link: "🔗", moneybag: "💰",
  chart_with_upwards_trend: "📈", chart_with_downwards_trend: "📉", sunny: "☀️", snowflake: "❄️", dog: "🐶", cat: "🐱",
  pizza: "🍕", cake: "🍰", beers: "🍻", ok_hand: "👌", point_up: "☝️", handshake: "🤝", heavy_plus_sign: "➕",
  left_right_arrow: "↔️", arrow_right: "➡️", arrow_left: "⬅️", one: "1️⃣", two: "2️⃣", three: "3️⃣",
};

const BY_NAME = { ...MORE, ...Object.fromEntries(PICK) };

export const emoji = (name) => BY_NAME[name.split("::")[0]] ?? null;
