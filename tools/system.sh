# Sourced by the need-* scripts: how this machine installs packages, and as whom.

# manager prints the system's package manager.
manager() {
	for m in apt-get dnf apk brew; do
		if command -v "$m" >/dev/null 2>&1; then
			echo "$m"
			return
		fi
	done
	echo none
}

# can_root tells whether as_root will work: we are root, or sudo needs no password or can ask for it.
can_root() {
	[ "$(id -u)" = 0 ] || { command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; }
}

as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# line prints the one command that installs packages $2… with manager $1.
line() {
	m=$1
	shift
	case $m in
	apt-get) echo "apt-get update && apt-get install -y --no-install-recommends $*" ;;
	dnf) echo "dnf install -y $*" ;;
	apk) echo "apk add $*" ;;
	brew) echo "brew install $*" ;;
	esac
}

# install_packages NAME APT DNF APK BREW says what it is about to do and installs the packages that
# this machine's manager knows the thing by. It ends the script when it cannot.
install_packages() {
	name=$1
	m=$(manager)
	case $m in
	apt-get) packages=$2 ;;
	dnf) packages=$3 ;;
	apk) packages=$4 ;;
	brew) packages=$5 ;;
	*) packages= ;;
	esac
	if [ -z "$packages" ]; then
		echo "$name is not on this machine, and no package manager we know is either: install $name by hand." >&2
		exit 1
	fi
	if [ "$m" = brew ]; then
		echo "$name is not on this machine. Installing it: $(line brew "$packages")" >&2
		# shellcheck disable=SC2086 # several packages in one word
		brew install $packages
		return
	fi
	if ! can_root; then
		echo "$name is not on this machine. Run this as root, then try again:" >&2
		echo "    $(line "$m" "$packages")" >&2
		exit 1
	fi
	echo "$name is not on this machine. Installing it: $(line "$m" "$packages")" >&2
	case $m in
	apt-get)
		as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
		# shellcheck disable=SC2086
		as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends $packages
		;;
	# shellcheck disable=SC2086
	dnf) as_root dnf install -y -q $packages ;;
	# shellcheck disable=SC2086
	apk) as_root apk add -q $packages ;;
	esac
}
