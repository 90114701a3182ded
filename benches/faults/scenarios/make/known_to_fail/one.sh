# One test.
echo "$1: 3 checks"
sleep 0.8
for check in 1 2 3; do
    if [ "$check" = 2 ]; then
        case $1 in
            locale) echo "locale: check 2: got '1,234.5', expected '1.234,5'" ;;
            overflow) echo "overflow: check 2: assertion failed: 9223372036854775807 + 1 > 0" ;;
            *) echo "$1: check $check ok"; continue ;;
        esac
        exit 1
    fi
    echo "$1: check $check ok"
done
