# Functions of the need-* scripts that install packages.

# manager prints the name of the system's package manager, or none.
manager() {
	for m in apt-get dnf apk brew; do
		if command -v "$m" >/dev/null 2>&1; then
			echo "$m"
			return
		fi
	done
	echo none
}

# can_root tells whether as_root will work: the user is root, or sudo needs no password or can ask for it.
can_root() {
	[ "$(id -u)" = 0 ] || { command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; }
}

as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# line prints the command that installs the packages $2… with the manager $1.
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

# install_packages NAME APT DNF APK BREW prints what it installs, and installs the packages of this machine's package
# manager. It ends the script if it cannot.
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
		echo "$name is missing, and this script cannot install it on this machine: install $name yourself." >&2
		exit 1
	fi
	if [ "$m" = brew ]; then
		echo "$name is missing. Installing it: $(line brew "$packages")" >&2
		# shellcheck disable=SC2086 # several packages in one word
		brew install $packages
		return
	fi
	if ! can_root; then
		echo "$name is missing. Run this command as root, then try again:" >&2
		echo "    $(line "$m" "$packages")" >&2
		exit 1
	fi
	echo "$name is missing. Installing it: $(line "$m" "$packages")" >&2
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

# install_npm FOLDER WHAT installs WHAT into FOLDER/node_modules, as pinned with checksums in FOLDER/package-lock.json. It
# does not run scripts of packages.
install_npm() {
	cmp -s "$1/package-lock.json" "$1/node_modules/.pinned" && return
	command -v npm >/dev/null 2>&1 || install_packages npm npm npm npm node
	echo "Installing $2." >&2
	npm ci --prefix "$1" --ignore-scripts --no-audit --no-fund --loglevel=error
	cp "$1/package-lock.json" "$1/node_modules/.pinned"
}
