//! Passwords in Chinese, Japanese or Korean letters, which stand alone or in quotes behind their
//! name: "密码：向日葵花开", "パスワード「ひまわり」".
//!
//! These languages write no spaces, or few, so what follows a name may as well be a sentence: "ask
//! Ana", "in the drawer". A password is a few letters, perhaps with a number behind them, in which
//! nothing occurs that forms, messages and sentences consist of.

use super::names::KEYWORDS;

/// First letter of these scripts.
const FIRST_LETTER: char = '\u{2e80}';
/// Letters of a password of letters alone.
const LETTERS: std::ops::RangeInclusive<usize> = 4..=16;
/// Fewest letters of a password with a number behind them.
const LETTERS_BEFORE_DIGITS_MIN: usize = 2;
/// Digits behind the letters of a password.
const DIGITS: std::ops::RangeInclusive<usize> = 2..=8;

/// What forms, messages and sentences in Chinese consist of, in both kinds of characters.
#[rustfmt::skip]
const CHINESE: [&str; 153] = [
    "的", "是", "了", "吗", "嗎", "请", "請", "吧", "呢", "被", "把", "与", "與", "及", "等", "在", "有", "没", "沒",
    "不", "未", "无", "無", "用", "为", "為", "要", "可", "应", "應", "须", "須", "需", "问", "問", "见", "見", "看",
    "已", "或", "和", "必", "空", "第", "个", "個", "位", "生日", "名字", "姓名", "电话", "電話", "手机", "手機",
    "号", "號", "学号", "邮箱", "郵箱", "相同", "一样", "一樣", "同上", "输入", "輸入", "填写", "填寫", "错误", "錯誤",
    "正确", "正確", "忘记", "忘記", "修改", "更改", "变更", "變更", "重置", "重設", "设置", "設置", "设定", "設定",
    "默认", "默認", "预设", "預設", "初始", "字符", "字元", "字母", "数字", "數字", "长度", "長度", "至少", "最少",
    "最多", "最大", "最小", "最低", "最长", "最長", "最短", "以上", "以下", "以内", "以內", "加密", "明文", "密文",
    "保护", "保護", "过期", "過期", "失效", "登录", "登錄", "登入", "登陆", "账户", "帳戶", "管理", "强度", "強度",
    "安全", "验证", "驗證", "确认", "確認", "参", "參", "任意", "随机", "隨機", "自动", "自動", "生成", "联系", "聯絡",
    "咨询", "客服", "存储", "儲存", "版本", "类型", "類型", "策略", "规则", "規則", "找回", "提示", "通知",
];
/// Where things are: "贴在冰箱门上".
const CHINESE_ENDS: [&str; 14] =
    ["上", "下", "里", "裡", "中", "内", "內", "处", "處", "后", "後", "前", "边", "邊"];

/// The same in Japanese.
#[rustfmt::skip]
const JAPANESE: [&str; 52] = [
    "を", "です", "ます", "ません", "ください", "こと", "これ", "それ", "あれ", "ここ", "そこ", "なし", "あり", "同じ",
    "必要", "必須", "任意", "入力", "変更", "忘れ", "再発行", "設定", "確認", "英数", "半角", "全角", "文字", "一致",
    "間違", "期限", "強度", "名前", "誕生日", "電話", "番号", "管理", "オプション", "リセット", "マネージャ",
    "セキュリティ", "メール", "アドレス", "ログイン", "ユーザ", "アカウント", "ポリシー", "ヒント", "エラー", "チェック",
    "テキスト", "フィールド", "ハッシュ",
];
/// Ends of Japanese clauses.
const JAPANESE_ENDS: [&str; 9] =
    ["した", "する", "ない", "いる", "ある", "なる", "れる", "せる", "して"];
/// Particles between Japanese words, where those are not in hiragana.
const JAPANESE_PARTICLES: [char; 9] = ['の', 'は', 'が', 'に', 'で', 'も', 'へ', 'と', 'や'];

/// The same in Korean.
#[rustfmt::skip]
const KOREAN: [&str; 32] = [
    "입력", "필수", "선택", "변경", "분실", "없음", "있음", "설정", "확인", "오류", "초기화", "재발급", "찾기", "이상",
    "이하", "문자", "숫자", "영문", "동일", "기본", "관리", "만료", "일치", "필요", "이름", "생일", "전화", "번호",
    "로그인", "사용자", "보안", "이메일",
];
/// Ends of Korean clauses, and particles behind nouns.
const KOREAN_ENDS: [&str; 18] = [
    "다", "요", "까", "됨", "함", "음", "임", "은", "는", "을", "를", "의", "에", "에서", "로",
    "에게", "죠", "지",
];

/// True for a text that begins with a letter of these scripts.
pub(super) fn is_text(value: &str) -> bool {
    value.starts_with(is_letter)
}

/// True if `value`, which stands alone or in quotes behind the name of a password, can hardly be a
/// label, a message or a sentence.
pub(super) fn is_password(value: &str) -> bool {
    let letters = value.trim_end_matches(|last: char| last.is_ascii_digit());
    let digits = value.len() - letters.len();
    let count = letters.chars().count();
    let is_long = match digits {
        0 => LETTERS.contains(&count),
        _ => {
            DIGITS.contains(&digits)
                && (LETTERS_BEFORE_DIGITS_MIN..=*LETTERS.end()).contains(&count)
        }
    };
    is_long && letters.chars().all(is_letter) && !is_spoken(letters)
}

fn is_letter(letter: char) -> bool {
    letter >= FIRST_LETTER && letter.is_alphabetic()
}

fn is_spoken(letters: &str) -> bool {
    let holds = |parts: &[&str]| parts.iter().any(|part| letters.contains(part));
    let ends = |parts: &[&str]| parts.iter().any(|part| letters.ends_with(part));
    let is_spoken = match () {
        () if letters.contains(is_hangul) => holds(&KOREAN) || ends(&KOREAN_ENDS),
        () if letters.contains(is_kana) => {
            let has_particle =
                letters.contains(JAPANESE_PARTICLES) && !letters.chars().all(is_hiragana);
            holds(&JAPANESE) || ends(&JAPANESE_ENDS) || has_particle
        }
        () => holds(&CHINESE) || holds(&JAPANESE) || ends(&CHINESE_ENDS),
    };
    is_spoken || KEYWORDS.iter().any(|keyword| letters.contains(keyword.name))
}

fn is_hiragana(letter: char) -> bool {
    matches!(letter, '\u{3041}'..='\u{309f}' | 'ー')
}

fn is_kana(letter: char) -> bool {
    is_hiragana(letter) || matches!(letter, '\u{30a0}'..='\u{30ff}')
}

fn is_hangul(letter: char) -> bool {
    matches!(letter, '\u{ac00}'..='\u{d7a3}')
}

#[cfg(test)]
mod tests {
    use super::super::further_tests::{check_kept, check_linear, check_masked};
    use serde_json::json;

    #[test]
    fn a_password_in_east_asian_letters_behind_its_label_is_masked() {
        check_masked(&[
            ("密码：向日葵花开", "密码：[masked:password]"),
            ("家里WiFi密码：芝麻开门。\n记住", "家里WiFi密码：[masked:password]。\n记住"),
            ("密碼: 向日葵77", "密碼: [masked:password]"),
            ("- 口令：我爱你一万年", "- 口令：[masked:password]"),
            ("WiFi password: 向日葵花开", "WiFi password: [masked:password]"),
            ("我的密码是“向日葵花开”。", "我的密码是“[masked:password]”。"),
            ("密码：「向日葵花开」", "密码：「[masked:password]」"),
            ("パスワード：ひまわり", "パスワード：[masked:password]"),
            ("パスワード: 富士山2024", "パスワード: [masked:password]"),
            ("パスワードは「ひまわりばたけ」です", "パスワードは「[masked:password]」です"),
            ("비밀번호: 해바라기꽃", "비밀번호: [masked:password]"),
            ("비밀번호: 해바라기77", "비밀번호: [masked:password]"),
            ("비밀번호는 \"해바라기꽃\"입니다", "비밀번호는 \"[masked:password]\"입니다"),
            ("密码：\n向日葵花开\n", "密码：\n[masked:password]\n"),
            ("| 密码 | 向日葵花开 |", "| 密码 | [masked:password] |"),
            (
                "| 网站 | 用户名 | 密码 |\n|---|---|---|\n| a.test | 小明 | 向日葵花开 |",
                "| 网站 | 用户名 | 密码 |\n|---|---|---|\n| a.test | 小明 | [masked:password] |",
            ),
            ("{\"password\": \"向日葵花开\"}", "{\"password\": \"[masked:password]\"}"),
        ]);
    }

    #[test]
    fn what_forms_and_sentences_say_behind_such_a_label_stays() {
        check_kept(&[
            "密码：必填",
            "密码：请输入密码",
            "密码：不能为空",
            "密码：至少8位字符",
            "密码：区分大小写字母",
            "密码：写在冰箱门上",
            "密码：贴冰箱门上",
            "密码：问一下小明",
            "密码：我家狗的名字",
            "密码：老婆生日",
            "密码：最少12",
            "密码：与去年相同",
            "密码：2024年5月修改",
            "密码：联系管理员",
            "密码：不变。明天见。",
            "密码：向日葵花开，很好记住",
            "密码：向日葵花开和别的花一起开放在春天里面真好看啊",
            "密码 向日葵花开",
            "密码学：向日葵花开",
            "密码是芝麻开门那句话",
            "\"password\": \"登录口令\"",
            "\"password\": \"用户密码\"",
            "\"password\": \"パスワード\"",
            "\"token\": \"向日葵花开\"",
            "パスワード：必須項目",
            "パスワード：変更しました",
            "パスワード：入力してください",
            "パスワード：犬の名前",
            "パスワード：オプション",
            "パスワード：セキュリティ",
            "パスワード：忘れました",
            "비밀번호: 필수입력",
            "비밀번호: 변경했습니다",
            "비밀번호: 모르겠어요",
            "비밀번호: 강아지이름",
            "비밀번호: 여덟자이상",
            "비밀번호: 서랍안에",
            "Password: 未設定",
        ]);
    }

    #[test]
    fn a_password_in_east_asian_letters_is_known_by_its_field() {
        let body = super::super::tests::body(
            "annotation",
            &json!({
                "密码": "向日葵花开", "password": "해바라기꽃", "note": "向日葵花开了", "hint": "ひまわり",
            }),
        );
        let masked = super::super::mask_body(body);
        let text = String::from_utf8(masked.get().canonical().unwrap()).unwrap();
        assert_eq!(text.matches("[masked:password]").count(), 2, "{text}");
    }

    #[test]
    fn east_asian_letters_are_judged_in_linear_time() {
        check_linear(
            &[
                "密码：向日葵花开\n",
                "密码：「向",
                "パスワードは「ひまわり",
                "비밀번호: 해바라기꽃 ",
            ],
            20_000,
        );
    }
}
